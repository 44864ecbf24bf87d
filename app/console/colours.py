"""Legible colours for the chat: a website's own colour, darkened or lightened until it has enough contrast
(WCAG 2.2, 1.4.3). Pure functions."""

import re
from dataclasses import dataclass
from typing import Final

from app.errors import InputError

LEAST_CONTRAST: Final = 4.5
LIGHT_GROUND: Final = "#ffffff"
DARK_GROUND: Final = "#171b1f"
"""The background of the chat's texts in light and dark windows, as in ``app/web/widget/widget.css``."""

DEFAULT_ACCENT: Final = "#0b5a6f"

_COLOUR: Final = re.compile(r"#?([0-9a-f]{6})")
_WHITE: Final = "#ffffff"
_BLACK: Final = "#000000"
_STEPS: Final = 100

_Channels = tuple[int, int, int]


@dataclass(frozen=True, slots=True, kw_only=True)
class Shade:
    """A colour that is legible on its background. ``on``: the colour of text on it. ``contrast``: with the
    background."""

    colour: str
    on: str
    contrast: float


@dataclass(frozen=True, slots=True, kw_only=True)
class Palette:
    """The shades of a colour for light and dark windows. ``contrast``: of the chosen colour with the light
    background."""

    chosen: str
    contrast: float
    light: Shade
    dark: Shade

    @property
    def is_changed(self) -> bool:
        """True if the chosen colour would not be legible in light windows."""
        return self.light.colour != self.chosen

    @property
    def css(self) -> str:
        """The rule for the website's style sheet."""
        return (
            "auskunft-chat {\n"
            f"  --auskunft-accent: light-dark({self.light.colour}, {self.dark.colour});\n"
            f"  --auskunft-on-accent: light-dark({self.light.on}, {self.dark.on});\n"
            "}\n"
        )


def palette(accent: str) -> Palette:
    """Return the shades of a colour such as ``#7a0b3f``. Raises ``InputError`` if it is not a colour."""
    found = _COLOUR.fullmatch(accent.strip().lower())
    if found is None:
        raise InputError("accent: use a colour of six hexadecimal digits, such as #7a0b3f")
    chosen = f"#{found[1]}"
    return Palette(
        chosen=chosen,
        contrast=contrast(chosen, LIGHT_GROUND),
        light=_readable(chosen, LIGHT_GROUND, _BLACK),
        dark=_readable(chosen, DARK_GROUND, _WHITE),
    )


def contrast(one: str, other: str) -> float:
    """Return the contrast of two colours, from 1 to 21."""
    darker, lighter = sorted(map(_luminance, (one, other)))
    return (lighter + 0.05) / (darker + 0.05)


def _readable(colour: str, ground: str, towards: str) -> Shade:
    """Mix the colour with as little of ``towards`` as makes it legible."""
    shades = (_mixed(colour, towards, step / _STEPS) for step in range(_STEPS + 1))
    shade = next(each for each in shades if contrast(each, ground) >= LEAST_CONTRAST)
    on = max(_WHITE, _BLACK, key=lambda text: contrast(text, shade))
    return Shade(colour=shade, on=on, contrast=contrast(shade, ground))


def _mixed(colour: str, other: str, share: float) -> str:
    channels = zip(_channels(colour), _channels(other), strict=True)
    return "#" + "".join(f"{round(one + (two - one) * share):02x}" for one, two in channels)


def _channels(colour: str) -> _Channels:
    red, green, blue = (int(colour[at : at + 2], 16) for at in (1, 3, 5))
    return red, green, blue


def _luminance(colour: str) -> float:
    red, green, blue = (_linear(channel / 255) for channel in _channels(colour))
    return 0.2126 * red + 0.7152 * green + 0.0722 * blue


def _linear(value: float) -> float:
    return value / 12.92 if value <= 0.04045 else float(((value + 0.055) / 1.055) ** 2.4)

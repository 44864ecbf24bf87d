"""Determines whether an element's text is visible, by its attributes and inline styles.

These are taken at their word: hidden text counts as hidden, although a script may show it later. Style sheets
and class names are ignored: text for screen readers that a class hides stays.
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Final

from ingest.html.styles import (
    FONT_PX,
    PERCENT_PX,
    Declarations,
    Rgb,
    Token,
    arguments,
    attribute_colour,
    colour,
    declarations,
    keyword,
    keywords,
    number,
    pixels,
)

FAINT_OPACITY: Final = 0.05
TINY_FONT_PX: Final = 2.0
TINY_BOX_PX: Final = 1.0
FAR_PX: Final = 900.0
"""A box positioned at least this far beyond an edge is off the page."""

FAR_SHIFT_PX: Final = 5_000.0
"""A box shifted at least this far is off the page; slide shows shift their strips less."""

SAME_COLOUR: Final = 16 / 255
"""A difference of at most this in each of red, green and blue is invisible."""

_PLACES: Final = frozenset({
    "left", "right", "top", "bottom", "inset", "inset-inline", "inset-block", "inset-inline-start",
    "inset-inline-end", "inset-block-start", "inset-block-end",
})  # fmt: skip
_SHIFTS: Final = frozenset({
    "margin", "margin-left", "margin-right", "margin-top", "margin-inline", "margin-inline-start",
    "margin-block", "translate",
})  # fmt: skip
_SIZES: Final = frozenset({
    "width", "height", "max-width", "max-height", "inline-size", "block-size", "max-inline-size",
    "max-block-size",
})  # fmt: skip
_OVERFLOWS: Final = ("overflow", "overflow-x", "overflow-y")
_CLIPS_OF_BACKGROUND: Final = ("background-clip", "-webkit-background-clip")
_FONT_SIZES: Final = {
    "xx-small": 9.0, "x-small": 10.0, "small": 13.0, "medium": FONT_PX, "large": 18.0, "x-large": 24.0,
    "xx-large": 32.0, "xxx-large": 48.0, "initial": FONT_PX,
}  # fmt: skip
_TRANSFORMS: Final = ("transform", "-webkit-transform", "-ms-transform")
_VISIBILITY: Final = {"visible": True, "hidden": False, "collapse": False}
_COLOUR_ATTRIBUTES: Final = {"font": "color", "body": "text"}
_TELLING: Final = frozenset({"style", "hidden", "popover", "bgcolor", "background", "color", "text"})
_OWN_BACKGROUND: Final = frozenset({"button", "mark"})


@dataclass(frozen=True, slots=True)
class Look:
    """Properties that text inherits. ``background``: the last one given inline, or None if an element since
    then may have another one by a class or id; ``filled``: letters show the background instead of their
    colour (``background-clip: text``)."""

    shown: bool = True
    font_px: float = FONT_PX
    colour: Rgb | None = None
    background: Rgb | None = None
    filled: bool = False

    @property
    def is_visible(self) -> bool:
        """True if text with this look is visible."""
        if not self.shown or self.font_px < TINY_FONT_PX:
            return False
        if self.colour is None or self.filled:
            return True
        return self.colour[3] > FAINT_OPACITY and not _is_same(self.colour, self.background)

    def inside(self, tag: str, attributes: Mapping[str, str]) -> "Look | None":
        """Return the look of text in a child element, or None if nothing in it can be visible."""
        if tag == "dialog" and "open" not in attributes:
            return None
        if _TELLING.isdisjoint(attributes) and self.colour is None and self.background is None:
            return self  # nearly all elements
        if "popover" in attributes or _is_hidden_by_attribute(attributes):
            return None
        style = declarations(attributes.get("style", ""))
        return None if _hides(style) else self._with(tag, attributes, style)

    def _with(self, tag: str, attributes: Mapping[str, str], style: Declarations) -> "Look":
        visibility = keywords(style.get("visibility", ())) & _VISIBILITY.keys()
        clips = {word for name in _CLIPS_OF_BACKGROUND for word in keywords(style.get(name, ()))}
        return Look(
            shown=_VISIBILITY[visibility.pop()] if visibility else self.shown,
            font_px=self._font_px(style),
            colour=self._colour(tag, attributes, style),
            background=self._background(tag, attributes, style),
            filled=self.filled or "text" in clips,
        )

    def _font_px(self, style: Declarations) -> float:
        name = next((name for name in reversed(style) if name in ("font", "font-size")), "")
        for token in style.get(name, ()):
            if name == "font" and not _is_size(token):
                continue
            scale = {"smaller": 0.8, "larger": 1.2}.get(keyword(token))
            found = self.font_px * scale if scale else _FONT_SIZES.get(keyword(token))
            found = pixels(token, self.font_px) if found is None else found
            return self.font_px if found is None else found
        return self.font_px

    def _colour(self, tag: str, attributes: Mapping[str, str], style: Declarations) -> Rgb | None:
        for name in ("-webkit-text-fill-color", "color"):
            if name in style:
                return self.colour if "inherit" in keywords(style[name]) else colour(style[name])
        if "href" in attributes or tag == "button":
            return None  # browsers give these their own colours
        return attribute_colour(attributes.get(_COLOUR_ATTRIBUTES.get(tag, ""), "")) or self.colour

    def _background(self, tag: str, attributes: Mapping[str, str], style: Declarations) -> Rgb | None:
        for name in reversed(style):
            if name in ("background", "background-color"):
                return None if "background-image" in style else colour(style[name])
        if "background" in attributes or "background-image" in style:
            return None
        is_unknown = tag in _OWN_BACKGROUND or "class" in attributes or "id" in attributes
        return attribute_colour(attributes.get("bgcolor", "")) or (None if is_unknown else self.background)


def is_hidden(tag: str, attributes: Mapping[str, str]) -> bool:
    """Return True if the element by itself hides its text."""
    look = Look().inside(tag, attributes)
    return look is None or not look.is_visible


def _is_hidden_by_attribute(attributes: Mapping[str, str]) -> bool:
    """Return True for ``hidden``, except ``hidden=until-found``, which the browser's search reveals."""
    return attributes.get("hidden", "until-found").strip().lower() != "until-found"


def _hides(style: Declarations) -> bool:
    """Return True if nothing inside can be visible, whatever its own styles say."""
    if not style:
        return False
    return (
        "none" in keywords(style.get("display", ()))
        or "hidden" in keywords(style.get("content-visibility", ()))
        or any(_is_faint(token) for token in style.get("opacity", ()))
        or any(_is_faint_filter(token) for token in style.get("filter", ()))
        or _is_away(style)
        or _is_clipped(style)
        or _has_no_size(style)
    )


def _is_faint(token: Token) -> bool:
    opacity = number(token)
    return opacity is not None and opacity <= FAINT_OPACITY


def _is_faint_filter(token: Token) -> bool:
    return (
        token.type == "function" and token.lower_name == "opacity" and any(map(_is_faint, arguments(token)))
    )


def _is_away(style: Declarations) -> bool:
    """Return True if the box is off the page, or scaled to nothing."""
    if any(number(token) == 0 for token in style.get("scale", ())):
        return True
    if any(_moves_away(token) for name in _TRANSFORMS for token in style.get(name, ())):
        return True
    position = keywords(style.get("position", ()))
    far = FAR_PX if position & {"absolute", "fixed"} else FAR_SHIFT_PX
    return any(_is_far(name, value, far) for name, value in style.items())


def _is_far(name: str, value: Sequence[Token], far: float) -> bool:
    lengths = [length for token in value if (length := pixels(token)) is not None]
    if not lengths:
        return False
    if name in _PLACES:  # long pages are positioned far from the top
        return min(lengths) <= -far or (name in ("left", "right") and max(lengths) >= FAR_SHIFT_PX)
    if name in _SHIFTS:
        return min(lengths) <= -FAR_SHIFT_PX
    return name == "text-indent" and min(lengths) <= -FAR_PX


def _moves_away(token: Token) -> bool:
    if token.type != "function":
        return False
    if token.lower_name.startswith("translate"):
        return any(abs(pixels(argument) or 0) >= FAR_SHIFT_PX for argument in arguments(token))
    return token.lower_name.startswith("scale") and any(
        number(argument) == 0 for argument in arguments(token)
    )


def _is_clipped(style: Declarations) -> bool:
    return any(
        token.type == "function" and _leaves_nothing(token)
        for name in ("clip", "clip-path", "-webkit-clip-path")
        for token in style.get(name, ())
    )


def _leaves_nothing(shape: Token) -> bool:
    if shape.lower_name == "polygon":
        points = [token for token in arguments(shape) if token.type != "ident"]
        lengths = [pixels(token) for token in points]
        return len({*lengths[::2]}) <= 1 or len({*lengths[1::2]}) <= 1
    lengths = []
    for token in arguments(shape):
        if keyword(token) in ("round", "at"):
            break
        lengths.append(pixels(token))
    known = [length for length in lengths if length is not None]
    if len(known) != len(lengths) or not known:
        return False
    if shape.lower_name in ("circle", "ellipse"):
        return min(known) <= 0
    top, right, bottom, left = _four_sides(known)
    if shape.lower_name == "rect":
        return bottom - top <= TINY_BOX_PX or right - left <= TINY_BOX_PX
    whole = 100 * PERCENT_PX
    return shape.lower_name == "inset" and (top + bottom >= whole or left + right >= whole)


def _four_sides(lengths: Sequence[float]) -> tuple[float, float, float, float]:
    top = lengths[0]
    right = lengths[1] if len(lengths) > 1 else top
    bottom = lengths[2] if len(lengths) > 2 else top
    return top, right, bottom, lengths[3] if len(lengths) > 3 else right


def _has_no_size(style: Declarations) -> bool:
    overflow = {word for name in _OVERFLOWS for word in keywords(style.get(name, ()))}
    if not overflow & {"hidden", "clip", "scroll", "auto"}:
        return False
    sizes = [pixels(token) for name in _SIZES & style.keys() for token in style[name]]
    return any(size is not None and size <= TINY_BOX_PX for size in sizes)


def _is_size(token: Token) -> bool:
    """Return True for the size in the value of ``font``, whose other numbers are weights."""
    return token.type in ("dimension", "percentage") or keyword(token) in _FONT_SIZES or number(token) == 0


def _is_same(text: Rgb, background: Rgb | None) -> bool:
    if background is None or background[3] < 1 - FAINT_OPACITY:
        return False
    return all(abs(one - other) <= SAME_COLOUR for one, other in zip(text[:3], background[:3], strict=True))

"""Parses inline styles: CSS declarations, lengths in pixels, colours.

Real values depend on more than the style (the window, the element's size). Lengths are estimates, good enough
to recognise elements that are far off the page or have no size.
"""

import re
from collections.abc import Sequence
from functools import lru_cache
from typing import Any, Final

import tinycss2
from tinycss2 import color4

Token = Any
"""A token of tinycss2."""

Rgb = tuple[float, float, float, float]
"""Red, green, blue and opacity, each from 0 to 1."""

Declarations = dict[str, Sequence[Token]]

PERCENT_PX: Final = 15.0
"""One per cent of a window that is 1,500 pixels wide."""

FONT_PX: Final = 16.0

_PX: Final = {
    "px": 1.0, "pt": 4 / 3, "pc": 16.0, "in": 96.0, "cm": 37.8, "mm": 3.78, "q": 0.945, "rem": FONT_PX,
    "em": FONT_PX, "ex": FONT_PX / 2, "ch": FONT_PX / 2, "lh": FONT_PX, "rlh": FONT_PX, "vw": PERCENT_PX,
    "vh": PERCENT_PX, "vmin": PERCENT_PX, "vmax": PERCENT_PX, "vi": PERCENT_PX, "vb": PERCENT_PX,
}  # fmt: skip
_RELATIVE: Final = {"em": 1.0, "ex": 0.5, "ch": 0.5, "lh": 1.0, "%": 0.01}
_INSIGNIFICANT: Final = ("whitespace", "comment")
_KEPT_CHARACTERS: Final = 500


def declarations(style: str) -> Declarations:
    """Return each property's tokens as browsers parse them, in the order of the effective declarations:
    without comments, escapes resolved. Invalid declarations are left out."""
    return _kept(style) if len(style) <= _KEPT_CHARACTERS else _parsed(style)


def _parsed(style: str) -> Declarations:
    found: Declarations = {}
    important: set[str] = set()
    for node in tinycss2.parse_blocks_contents(style, skip_comments=True, skip_whitespace=True):
        if node.type != "declaration" or (node.lower_name in important and not node.important):
            continue
        value = significant(node.value)
        if value and _is_known(node.lower_name, value):
            found.pop(node.lower_name, None)
            found[node.lower_name] = value
            if node.important:
                important.add(node.lower_name)
    return found


_kept = lru_cache(maxsize=1024)(_parsed)


_KEYWORDS: Final = {
    "display": re.compile(
        r"none|block|inline|flex|grid|contents|list-item|flow(-root)?|(inline-|table|ruby|math|-webkit-|-moz-|-ms-).*"
    ),
    "visibility": re.compile(r"visible|hidden|collapse"),
    "content-visibility": re.compile(r"visible|hidden|auto"),
}
_COLOURS: Final = ("color", "background-color", "-webkit-text-fill-color")
_EVERYWHERE: Final = ("inherit", "initial", "unset", "revert", "revert-layer")


def _is_known(name: str, value: Sequence[Token]) -> bool:
    """Return True if browsers know the value; an unknown one leaves the earlier declaration in force."""
    if keyword(value[0]) in _EVERYWHERE:
        return len(value) == 1
    if name in _KEYWORDS:
        return all(_KEYWORDS[name].fullmatch(keyword(token)) for token in value)
    if name in _COLOURS:
        return color4.parse_color(value[0]) is not None and len(value) == 1
    return name != "opacity" or number(value[0]) is not None


def significant(tokens: Sequence[Token]) -> list[Token]:
    """Return the tokens that are neither blanks nor comments."""
    return [token for token in tokens if token.type not in _INSIGNIFICANT]


def keyword(token: Token) -> str:
    """Return a keyword in lower case; empty for other tokens."""
    return str(token.lower_value) if token.type == "ident" else ""


def keywords(value: Sequence[Token]) -> set[str]:
    """Return the keywords of a value."""
    return {keyword(token) for token in value} - {""}


def arguments(function: Token) -> list[Token]:
    """Return a function's arguments that are single tokens."""
    return [token for token in significant(function.arguments) if token.type != "literal"]


def number(token: Token) -> float | None:
    """Return a number, with percentages divided by 100, or None for other tokens."""
    token = _calculated(token)
    if token.type == "percentage":
        return float(token.value) / 100
    return float(token.value) if token.type == "number" else None


def pixels(token: Token, font_px: float | None = None) -> float | None:
    """Return a length, or None for other tokens. Relative lengths refer to ``font_px``, or to a window."""
    token = _calculated(token)
    unit = {"percentage": "%", "number": "px"}.get(token.type) or (
        token.lower_unit if token.type == "dimension" else ""
    )
    if font_px is not None and unit in _RELATIVE:
        return float(token.value) * _RELATIVE[unit] * font_px
    scale = PERCENT_PX if unit == "%" else _PX.get(unit)
    return None if scale is None else float(token.value) * scale


def colour(value: Sequence[Token]) -> Rgb | None:
    """Return the only colour in a value, or None if it has none, several, or a picture."""
    if any(map(_is_picture, value)):
        return None
    colours = [found for token in value if (found := _rgb(token))]
    return colours[0] if len(colours) == 1 else None


def attribute_colour(text: str) -> Rgb | None:
    """Return the colour that an attribute such as ``bgcolor`` names, with or without ``#``."""
    text = text.strip()
    return _rgb(text) or _rgb(f"#{text}")


def _is_picture(token: Token) -> bool:
    return token.type == "url" or (token.type == "function" and color4.parse_color(token) is None)


def _rgb(text: Token | str) -> Rgb | None:
    parsed = color4.parse_color(text)
    if parsed is None or isinstance(parsed, str):
        return None
    try:
        red, green, blue = parsed.to("srgb").coordinates
    except NotImplementedError:
        return None
    return float(red or 0), float(green or 0), float(blue or 0), float(parsed.alpha)


def _calculated(token: Token) -> Token:
    """Return the value inside ``calc(0px)``; sums are not computed."""
    if token.type == "function" and token.lower_name == "calc":
        inner = significant(token.arguments)
        return inner[0] if len(inner) == 1 else token
    return token

"""Rewrites raised and lowered digits, which plain text would join with the number or word before them.

* Cents and minutes get their separator: 4<sup>50</sup> € is 4,50 €, 8<sup>30</sup> Uhr is 8:30 Uhr.
* Other raised digits become superscript characters: m², Ca²⁺. After a number, a currency sign or a word they
  are the mark of a footnote and stand apart, so that the number keeps its value and search finds the word.
"""

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import Final

from ingest.html.tree import Element

AROUND_CHARACTERS: Final = 40
AROUND_TEXTS: Final = 12
"""The text before and after raised digits that is read to understand them."""

_WITHIN_LINES: Final = frozenset({
    "a", "abbr", "acronym", "b", "bdi", "bdo", "big", "cite", "code", "data", "dfn", "em", "font", "i", "ins",
    "kbd", "label", "mark", "nobr", "q", "samp", "small", "span", "strong", "sub", "sup", "time", "tt", "u",
    "var", "wbr",
})  # fmt: skip
_STYLE: Final = re.compile(r"vertical-align\s*:\s*(super|sub)\b", re.IGNORECASE)
_RAISABLE: Final = re.compile(r"(?=[^0-9]*[0-9])[0-9+\-−–(),;*\s\[\]/]+")
_RAISED: Final = str.maketrans("0123456789+-−–", "⁰¹²³⁴⁵⁶⁷⁸⁹⁺⁻⁻⁻")
_LOWERED: Final = str.maketrans("0123456789", "₀₁₂₃₄₅₆₇₈₉")

_SIGN: Final = r"(?:[€£$]|\b(?:EUR|CHF|Euro|euros?|Fr)\b)"
_TO: Final = r"\s*(?:–|-|/|bis|to|und|and)\s*"
_NUMBER: Final = re.compile(r"(?<![\d.,:])[0-9]{1,4}(?:\.[0-9]{3})*(?P<mark>[.,]?)$")
_HOUR: Final = re.compile(r"(?<![\d.,:])(?:[01]?[0-9]|2[0-4])(?P<mark>[.:]?)$")
_AFTER_SIGN: Final = re.compile(rf"(?P<sign>{_SIGN})\s?[0-9.]+,?$")
_BEFORE_SIGN: Final = re.compile(rf"\s*(?:{_TO}[0-9.,^]+\s*)?(?P<sign>{_SIGN})")
_BEFORE_CLOCK: Final = re.compile(
    rf"(?:{_TO}[0-9]{{1,2}}(?:[.:^]{{1,2}}[0-9]{{2}})?){{0,4}}\s*(?:Uhr\b|h\b|[ap]\.?m\b)", re.IGNORECASE
)
"""The rest of the times in text in which ``^`` is before each raised piece."""

_POWER: Final = re.compile(r"[×x·*]\s?10$")
_APART: Final = re.compile(r"(?:[0-9⁰¹²³⁴-⁹%€£$]|[^\W\d_]{3})$")


@dataclass(slots=True)
class _Text:
    """A piece of text, the child of ``parent`` at ``place``.

    ``script``: ``super``, ``sub`` or empty; ``is_linked``: it is in a link. A ``parent`` of ``None`` marks
    the border of a block.
    """

    parent: Element | None = None
    place: int = 0
    text: str = ""
    script: str = ""
    is_linked: bool = False


def write_raised(root: Element) -> None:
    """Rewrite the raised and lowered digits in ``root``; doing it again changes nothing."""
    texts = list(_texts(root))
    for at, each in enumerate(texts):
        if each.parent is not None and each.script and _RAISABLE.fullmatch(each.text):
            each.text = _written(each, texts, at)
            each.parent.children[each.place] = each.text


def _texts(root: Element) -> Iterator[_Text]:
    """Yield every piece of text, in document order, with the borders of blocks between them."""
    pending: list[tuple[Element, int, str, bool]] = [(root, 0, "", False)]
    while pending:
        element, place, script, is_linked = pending.pop()
        if place == len(element.children):
            if element.tag not in _WITHIN_LINES:
                yield _Text()
            continue
        pending.append((element, place + 1, script, is_linked))
        child = element.children[place]
        if isinstance(child, str):
            yield _Text(element, place, child, script, is_linked)
            continue
        if child.tag not in _WITHIN_LINES:
            yield _Text()
        pending.append((child, 0, _script(child) or script, is_linked or child.tag == "a"))


def _script(element: Element) -> str:
    if element.tag in ("sup", "sub"):
        return "super" if element.tag == "sup" else "sub"
    found = _STYLE.search(element.attributes.get("style", ""))
    return found[1].lower() if found else ""


def _written(each: _Text, texts: Sequence[_Text], at: int) -> str:
    """The digits as they are written in plain text."""
    before, after = _before(texts, at), _after(texts, at)
    if each.script == "sub":
        return each.text.translate(_LOWERED) if before[-1:].isdecimal() else each.text
    digits = each.text.strip()
    if re.fullmatch("[0-9]{2}", digits) and not each.is_linked:
        number, hour = _NUMBER.search(before), _HOUR.search(before)
        sign = _AFTER_SIGN.search(before) or _BEFORE_SIGN.match(after)
        if number and sign:
            separator = "." if sign["sign"] in "£$" else ","
            return f"{'' if number['mark'] else separator}{digits}"
        if hour and digits < "60" and _BEFORE_CLOCK.match(after):
            return f"{'' if hour['mark'] else ':'}{digits}"
    if re.match(r"\s*[/⁄]", after) and before[-1:].isdecimal():
        return f" {each.text.strip()}"
    is_apart = _APART.search(before) and not (_POWER.search(before) or digits[:1] in "-−–")
    return f"{' ' if is_apart else ''}{each.text.translate(_RAISED)}"


def _before(texts: Sequence[_Text], at: int) -> str:
    found = ""
    for each in texts[max(at - AROUND_TEXTS, 0) : at][::-1]:
        if each.parent is None or len(found) >= AROUND_CHARACTERS:
            break
        found = f"{each.text[-AROUND_CHARACTERS:]}{found}"
    return found


def _after(texts: Sequence[_Text], at: int) -> str:
    """The text after raised digits, with ``^`` before each raised piece."""
    found = ""
    for each in texts[at + 1 : at + AROUND_TEXTS]:
        if each.parent is None or len(found) >= AROUND_CHARACTERS:
            break
        found += f"{'^' if each.script == 'super' else ''}{each.text[:AROUND_CHARACTERS]}"
    return found

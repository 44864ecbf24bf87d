"""Formats numbers, moments, spans of time and recorded changes for a language."""

import json
from collections.abc import Callable, Iterator, Mapping
from datetime import UTC, date, datetime
from typing import Any, Final

from markupsafe import Markup

from app.console.messages import translated
from app.errors import HaltReason
from app.sources.halts import in_words

_UNITS: Final = ((86_400, "day"), (3_600, "hour"), (60, "minute"), (1, "second"))
_NAMES: Final = {
    "en": {"day": "day|days", "hour": "h|h", "minute": "min|min", "second": "s|s"},
    "de": {"day": "Tag|Tage", "hour": "Std.|Std.", "minute": "Min.|Min.", "second": "Sek.|Sek."},
}
_TOLD: Final = ("empty", "excluded")
"""Reasons whose explanation makes the program's message superfluous."""

_AGO: Final = {"en": "{} ago", "de": "vor {}"}
_DAY: Final = {"en": "%-d %b %Y", "de": "%d.%m.%Y"}
_TIME: Final = {"en": "%-d %b %Y, %H:%M UTC", "de": "%d.%m.%Y, %H:%M UTC"}


def formats(language: str, texts: Mapping[str, str]) -> Mapping[str, Callable[..., Any]]:
    """Return the template functions that format in ``language``."""

    def number(value: float, digits: int = 0) -> str:
        text = f"{value:,.{digits}f}"
        return text if language == "en" else text.translate(str.maketrans(",.", ".,"))

    def percent(share: float) -> str:
        return f"{number(100 * share)} %"

    def span(seconds: float) -> str:
        size, name = next((unit for unit in _UNITS if seconds >= unit[0]), _UNITS[-1])
        count = round(seconds / size)
        one, many = _NAMES[language][name].split("|")
        return f"{number(count)} {one if count == 1 else many}"

    def moment(at: datetime) -> Markup:
        """A time in UTC, which scripts convert to the browser's time zone."""
        at = at.astimezone(UTC)
        shown = at.strftime(_TIME[language])
        return Markup('<time datetime="{}">{}</time>').format(at.isoformat(timespec="seconds"), shown)

    def ago(at: datetime) -> Markup:
        at = at.astimezone(UTC)
        passed = _AGO[language].format(span(max((datetime.now(UTC) - at).total_seconds(), 0)))
        shown = at.strftime(_TIME[language])
        return Markup('<time datetime="{}" title="{}">{}</time>').format(
            at.isoformat(timespec="seconds"), shown, passed
        )

    def day(on: date) -> str:
        return on.strftime(_DAY[language])

    def reason(text: str) -> Markup:
        """The reason why a page is not indexed: its explanation, then the program's message."""
        code, _, detail = text.partition(": ")
        meaning = texts.get(f"reason_{code}")
        if meaning is None or code in _TOLD:
            return Markup("{}").format(meaning or text)
        return Markup('{} <span class="soft">{}</span>').format(meaning, detail)

    def halt_reason(reason: HaltReason) -> str:
        """The reason why a pull was halted."""
        return translated(in_words([reason]), language)

    return {
        "halt_reason": halt_reason,
        "number": number,
        "percent": percent,
        "span": span,
        "moment": moment,
        "ago": ago,
        "day": day,
        "reason": reason,
        "written": written,
        "differences": differences,
    }


def written(value: object) -> str:
    """A value of a record or setting as readable text."""
    if isinstance(value, list | tuple) and value and all(isinstance(each, str) for each in value):
        return " · ".join(value)
    if isinstance(value, dict) and value and all(isinstance(each, str) for each in value.values()):
        return " · ".join(filter(None, value.values()))
    return value if isinstance(value, str) else json.dumps(value, ensure_ascii=False)


def differences(
    before: Mapping[str, Any] | None, after: Mapping[str, Any] | None
) -> Iterator[tuple[str, Any, Any]]:
    """Yield the fields that differ between two states of a record; ``None`` where a state lacks the field."""
    one, other = before or {}, after or {}
    for name in dict.fromkeys((*one, *other)):
        if one.get(name) != other.get(name):
            yield name, one.get(name), other.get(name)

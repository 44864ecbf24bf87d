"""Numbers, moments and spans of time as people of a language write them."""

from collections.abc import Callable, Mapping
from datetime import UTC, datetime
from typing import Final

from markupsafe import Markup

_UNITS: Final = ((86_400, "day"), (3_600, "hour"), (60, "minute"), (1, "second"))
_NAMES: Final = {
    "en": {"day": "day|days", "hour": "h|h", "minute": "min|min", "second": "s|s"},
    "de": {"day": "Tag|Tage", "hour": "Std.|Std.", "minute": "Min.|Min.", "second": "s|s"},
}
_AGO: Final = {"en": "{} ago", "de": "vor {}"}
_TIME: Final = {"en": "%-d %b %Y, %H:%M UTC", "de": "%d.%m.%Y, %H:%M UTC"}


def formats(language: str) -> Mapping[str, Callable[..., str]]:
    """Return the filters of templates in ``language``."""

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
        """A time that scripts turn into the reader's zone."""
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

    return {"number": number, "percent": percent, "span": span, "moment": moment, "ago": ago}

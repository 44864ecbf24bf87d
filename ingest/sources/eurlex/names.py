"""Names of texts of acts, in file names and URLs: CELEX number, date and language."""

import re
from dataclasses import dataclass
from datetime import date
from typing import Final

from ingest.law.languages import LANGUAGES

_ACT: Final = r"[1-9CE]\d{4}[A-Z]{1,2}(?:\d{2}-\d{2}|\d{2,4}[A-Z]?|/[A-Z]{3})(?:R?\(\d{2}\))?"
_CONSOLIDATED: Final = r"0\d{4}[A-Z]{1,2}\d{2,4}(?:-\d{8})?"
_CELEX: Final = re.compile(rf"{_ACT}|{_CONSOLIDATED}")
_NAMED: Final = re.compile(rf"(?<![0-9A-Za-z])(?:{_CONSOLIDATED}|{_ACT})(?![0-9A-Za-z(])")
_DATE: Final = re.compile(r"(?<!\d)\d{4}-\d{2}-\d{2}(?!\d)")
_LANGUAGE: Final = re.compile(rf"[_.-]({'|'.join(LANGUAGES)})(?=[_.-]|\Z)", re.IGNORECASE)
_DAY: Final = re.compile(r"-(\d{4})(\d{2})(\d{2})\Z")


@dataclass(frozen=True, slots=True, kw_only=True)
class TextName:
    """The facts about a text in its name; empty or ``None`` if missing."""

    celex: str = ""
    version: date | None = None
    language: str = ""


def in_file_name(stem: str) -> TextName:
    """Parse names such as ``32024R1689_2024-06-13_en`` and ``CELEX_02024R1689-20260727_EN_TXT``."""
    celex = _NAMED.search(stem)
    if celex is None:
        return TextName()
    act, version = of_celex(celex[0])
    rest = stem[celex.end() :]
    day, language = _DATE.search(rest), _LANGUAGE.search(rest)
    return TextName(
        celex=act,
        version=_day(day[0]) if day else version,
        language=language[1].lower() if language else "",
    )


def of_celex(celex: str) -> tuple[str, date | None]:
    """Return the act's CELEX number and the date of consolidation, if any: ``02024R1689-20260727`` is a
    version of ``32024R1689``."""
    if not celex.startswith("0"):
        return celex, None
    day = _DAY.search(celex)
    return f"3{_DAY.sub('', celex)[1:]}", _day("-".join(day.groups())) if day else None


def consolidated(celex: str) -> str:
    """Return the beginning of the CELEX numbers of an act's consolidated texts."""
    return f"0{celex[1:]}"


def is_celex(text: str) -> bool:
    """Return True if ``text`` is a CELEX number of an act or of a consolidated text."""
    return _CELEX.fullmatch(text) is not None


def _day(text: str) -> date | None:
    try:
        return date.fromisoformat(text)
    except ValueError:
        return None

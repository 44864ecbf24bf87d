"""The official languages of the Union."""

from typing import Final

LANGUAGES: Final = {
    "bg": "BUL", "cs": "CES", "da": "DAN", "de": "DEU", "el": "ELL", "en": "ENG", "es": "SPA", "et": "EST",
    "fi": "FIN", "fr": "FRA", "ga": "GLE", "hr": "HRV", "hu": "HUN", "it": "ITA", "lt": "LIT", "lv": "LAV",
    "mt": "MLT", "nl": "NLD", "pl": "POL", "pt": "POR", "ro": "RON", "sk": "SLK", "sl": "SLV", "sv": "SWE",
}  # fmt: skip
"""The codes of the Publications Office by ISO 639-1 code."""


def official(printed: str) -> str:
    """Return the ISO 639-1 code that a printed one (``EN``, ``en-GB``) begins with; empty if it is not that
    of an official language."""
    code = printed.strip().lower()[:2]
    return code if code in LANGUAGES else ""

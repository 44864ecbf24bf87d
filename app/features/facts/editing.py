"""Dates of a page's own editing and of its files, which are dates of no event. Pure functions for German and
English."""

import re
from typing import Final

_EDITED: Final = (
    r"(?:\w*freigabe(?:vermerk|datum)?|freigegeben|(?:bearbeitungs|redaktions|sach|rechts)?stand|fassung"
    r"|(?:letzte|jüngste)\w* (?:änderung|bearbeitung|aktualisierung|überarbeitung|prüfung)"
    r"|zuletzt (?:geändert|bearbeitet|aktualisiert|überarbeitet|geprüft)"
    r"|aktualisiert|aktualisierung|bearbeitet|überarbeitet|geprüft|veröffentlicht|veröffentlichungsdatum"
    r"|erstellt|erstellungsdatum|änderungsdatum"
    r"|(?:page |this page was )?(?:(?:last |first )?(?:updated?|modified|reviewed|revised|changed|edited"
    r"|published)|last (?:change|modification|review|revision|edit))|date (?:published|updated|modified)"
    r"|(?:publication|release|revision|review) date|date of (?:publication|release|revision))"
)
_NEWS: Final = re.compile(
    r"\W*(?:(?:aktuelle |neueste |latest )?(?:news|nachrichten|meldungen)|pressemitteilungen|pressemeldungen"
    r"|press releases?|change ?log|change history|version history|änderungsverlauf|änderungshistorie)\W*",
    re.IGNORECASE,
)
_LABEL: Final = re.compile(rf"\W*{_EDITED}(?: (?:am|vom|zum|on|by))?\W*", re.IGNORECASE)
_ENDING: Final = r"\.(?:pdf|docx?|odt|rtf|xlsx?|ods|csv|pptx?|odp|zip)\b"
_FILE: Final = (
    rf"\[[^\[\]\n]{{0,300}}\]\([^()\n]{{0,500}}{_ENDING}[^()\n]{{0,100}}\)"
    r"|\[[^\[\]\n]{0,300}\b(?:PDF|[KM]B)\b[^\[\]\n]{0,50}\]\([^()\n]{0,600}\)"
)
_SIZE: Final = r"\([^()\n]{0,60}\b(?:PDF|[KM]B)\b[^()\n]{0,60}\)"
_BEHIND_FILE: Final = re.compile(
    rf"(?P<file>(?:{_FILE})(?:\s?{_SIZE})?)\s?[([]\s?\d[^()\[\]\n]{{5,20}}[)\]]", re.IGNORECASE
)


def is_edited(label: str) -> bool:
    """Return True if a heading, the head of a column, or the text before a date says that the page was edited
    or published then: "Freigabevermerk", "Stand:", "Last updated"."""
    return bool(_LABEL.fullmatch(label))


def is_published(heading: str) -> bool:
    """Return True if the dates below a heading are those of editing, or of news."""
    return is_edited(heading) or bool(_NEWS.fullmatch(heading))


def without_file_dates(markdown: str) -> str:
    """Return Markdown without the dates in brackets behind links to files: they are those of the upload."""
    return _BEHIND_FILE.sub(r"\g<file>", markdown)

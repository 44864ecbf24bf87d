"""An act of EU law and its parts, independent of the layout it was published in.

Units are named like EUR-Lex's anchors: ``art_6``, ``art_7a``, ``rct_53``, ``anx_III``, ``anx`` for a single
annex without a number. Two more units contain the rest: ``act`` (title, citations and formulas before the
first article) and ``final`` (place, date, signatures). Every visible word of the text is in exactly one unit,
in its heading or Markdown, or in the heading of a division.
"""

from dataclasses import dataclass
from datetime import date
from typing import Literal

UnitKind = Literal["act", "recital", "article", "annex", "final"]

Layout = Literal["oj-convex", "oj-old", "consolidated", "legacy"]


@dataclass(frozen=True, slots=True, kw_only=True)
class Division:
    """A part, title, chapter, section or subsection that contains units. ``label``: ``CHAPTER III``."""

    label: str
    heading: str = ""

    def __str__(self) -> str:
        return f"{self.label}: {self.heading}" if self.heading else self.label


@dataclass(frozen=True, slots=True, kw_only=True)
class Unit:
    """One recital, article or annex.

    ``number``: as printed, without "Article" or brackets (``6``, ``7a``, ``III``); may be empty. ``label``:
    the printed caption on one line (``Article 6``, ``ANNEX III``, ``(53)``). ``heading``: its title in plain
    text, if it has one. ``markdown``: its text without label and heading. ``divisions``: from the outermost
    inwards. ``anchor``: the ``id`` of its place in the source; may be empty. ``part``: distinguishes pieces
    of a split unit, and units with the same number in annexed texts (``2``, ``A``); empty for the only or
    first one. ``amended_by``: the amendment markers in it (``M1``).
    """

    name: str
    kind: UnitKind
    markdown: str
    number: str = ""
    label: str = ""
    heading: str = ""
    divisions: tuple[Division, ...] = ()
    anchor: str = ""
    part: str = ""
    amended_by: tuple[str, ...] = ()

    @property
    def id(self) -> str:
        """The unit's name within the act, with its part."""
        return f"{self.name}.{self.part}" if self.part else self.name


@dataclass(frozen=True, slots=True, kw_only=True)
class Act:
    """One text of one act in one language. Dates are as printed, ``None`` if missing; ``valid_until`` is the
    first day on which the act no longer applies.

    ``celex``: such as ``32024R1689`` or ``32018L2001R(04)``. ``version``: the document's date, or the date of
    consolidation. ``type``: ``regulation``, ``directive``, ``decision``, ``treaty`` ... or ``act``.
    ``number``: as printed (``2024/1689``). ``title``: on one line. ``short_title``: the customary name in
    the title ("Artificial Intelligence Act"); may be empty. ``amended_by``: pairs of marker and CELEX number
    of the acts in a consolidated text.
    """

    celex: str
    language: str
    version: date
    layout: Layout
    units: tuple[Unit, ...]
    title: str
    short_title: str = ""
    type: str = "act"
    number: str = ""
    eli: str = ""
    consolidated: bool = False
    document_date: date | None = None
    published: date | None = None
    applies_from: date | None = None
    valid_until: date | None = None
    subjects: tuple[str, ...] = ()
    amended_by: tuple[tuple[str, str], ...] = ()

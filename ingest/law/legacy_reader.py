"""Assigns each line of a legacy text to a unit, by printed captions, recitals and formulas."""

from collections.abc import Callable
from dataclasses import dataclass, field
from typing import Final

from ingest.law import legacy_captions as captions
from ingest.law.blocks import Role
from ingest.law.captions import annex_name, appendix_name, article_name, is_appendix
from ingest.law.contents import Entry, contents
from ingest.law.formulas import begins_reasons, is_enacting, is_final
from ingest.law.legacy_lines import Line
from ingest.law.model import Division, UnitKind
from ingest.law.treaties import is_treaty

_CHAPTER: Final = 2


@dataclass(slots=True, kw_only=True)
class Part:
    """A unit with its lines and the footnotes printed after them."""

    name: str
    kind: UnitKind
    number: str = ""
    label: str = ""
    heading: str = ""
    divisions: tuple[Division, ...] = ()
    lines: list[Line] = field(default_factory=list)
    notes: list[Line] = field(default_factory=list)


def read(lines: list[Line], celex: str) -> list[Part]:
    """Return the act's own part, then its units in order. Quotations must already be marked."""
    return _Reader(celex).read(lines)


class _Reader:
    """Goes through the lines once: captions and recitals open parts, other lines go to a part."""

    def __init__(self, celex: str) -> None:
        self._treaty = is_treaty(celex)
        self._act = Part(name="act", kind="act")
        self._parts = [self._act]
        self._divisions: dict[int, Division] = {}
        self._awaiting: Callable[[str], None] | None = None
        self._recitals = 0
        self._reasons = False
        self._annex = ""
        self._enacted = True
        self._lines: list[Line] = []

    def read(self, found: list[Line]) -> list[Part]:
        self._lines = found
        self._enacted = not any(is_enacting(line.text) for line in found)
        first = _only_article(found) if self._treaty else 0
        listed = contents(_entries(found))
        for at, line in enumerate(found):
            if self._takes_heading(at):
                continue
            if line.quoted or line.table or at in listed or not self._caption(at, line, at >= first):
                self._text(line)
        return self._parts

    @property
    def _current(self) -> Part:
        return self._parts[-1]

    def _takes_heading(self, at: int) -> bool:
        """Make the line the heading of the caption before it and return True, if the caption awaits one and
        the line can be one."""
        awaiting, self._awaiting = self._awaiting, None
        if awaiting is None or not captions.is_heading(self._lines[at]) or _is_caption(self._lines[at]):
            return False
        awaiting(self._lines[at].text)
        return True

    def _caption(self, at: int, line: Line, articles: bool) -> bool:
        if articles and (caption := captions.article(line.text)):
            self._open_article(caption, at)
        elif caption := captions.annex(line.text):
            self._open_annex(caption)
        elif self._current.kind != "annex" and (caption := captions.division(line.text)):
            self._open_division(caption)
        elif self._is_bare_division(at, line):
            self._divide(max(self._divisions, default=_CHAPTER), Division(label=line.text))
        else:
            return False
        return True

    def _open_article(self, caption: captions.Caption, at: int) -> None:
        self._enacted = True
        part = Part(
            name=article_name(caption.number),
            kind="article",
            number=caption.number,
            label=caption.label,
            heading=caption.heading,
            divisions=tuple(self._divisions.values()),
        )
        self._parts.append(part)
        if not caption.heading and at + 2 < len(self._lines) and not _is_caption(self._lines[at + 2]):
            self._awaiting = lambda heading: setattr(part, "heading", heading)

    def _open_annex(self, caption: captions.Caption) -> None:
        self._divisions = {}
        if is_appendix(caption.label):
            name = appendix_name(caption.number, self._annex)
        else:
            name = self._annex = annex_name(caption.number)
        part = Part(
            name=name,
            kind="annex",
            number=caption.number,
            label=caption.label,
            heading=caption.heading,
        )
        self._parts.append(part)
        if not caption.heading or caption.heading.endswith(")"):
            self._awaiting = lambda heading: setattr(part, "heading", f"{caption.heading} {heading}".strip())

    def _open_division(self, caption: captions.Caption) -> None:
        self._divide(caption.rank, Division(label=caption.label, heading=caption.heading))
        if not caption.heading:
            self._awaiting = lambda heading: self._divide(
                caption.rank, Division(label=caption.label, heading=heading)
            )

    def _divide(self, rank: int, division: Division) -> None:
        self._divisions = {at: kept for at, kept in self._divisions.items() if at < rank} | {rank: division}

    def _is_bare_division(self, at: int, line: Line) -> bool:
        """Return True for a division without a number: ``FINAL PROVISIONS`` on its own line before an
        article."""
        if self._current.kind != "article" or not line.text.isupper() or at + 1 == len(self._lines):
            return False
        following = self._lines[at + 1]
        return (
            not following.quoted
            and captions.is_heading(line)
            and captions.article(following.text) is not None
        )

    def _text(self, line: Line) -> None:
        if not self._enacted:
            self._preamble(line)
        elif self._is_note(line):
            self._current.notes.append(line)
        elif self._current.kind in ("article", "act", "recital"):
            self._enacting_terms(line)
        else:
            self._current.lines.append(line)

    def _enacting_terms(self, line: Line) -> None:
        if not line.quoted and is_final(line.text):
            self._parts.append(Part(name="final", kind="final"))
        target = self._act if self._current.kind == "recital" else self._current
        target.lines.append(line)

    def _preamble(self, line: Line) -> None:
        number = None if line.quoted or line.table else captions.recital(line)
        if is_enacting(line.text):
            self._enacted = True
            self._act.lines.append(line)
        elif number is not None:
            self._reasons = False
            self._open_recital(number, line)
        elif self._reasons and not line.quoted and not line.table:
            self._open_recital("", line)
        else:
            self._reasons = begins_reasons(line.text)
            self._current.lines.append(line)

    def _open_recital(self, number: str, line: Line) -> None:
        self._recitals += 1
        if number:
            line.text = line.text.partition(")")[2].strip()
        part = Part(
            name=f"rct_{number or self._recitals}",
            kind="recital",
            number=number or str(self._recitals),
            label=f"({number})" if number else "",
        )
        part.lines.append(line)
        self._parts.append(part)

    def _is_note(self, line: Line) -> bool:
        """Return True for a footnote, or another line of the previous one."""
        if line.note or self._current.notes:
            return True
        return self._current.kind == "final" and captions.note(line.text) is not None


def _only_article(found: list[Line]) -> int:
    """Return the index where the article of a treaty's page begins; the list of headings above it has the
    same caption."""
    named = [at for at, line in enumerate(found) if captions.article(line.text)]
    if not named:
        return 0
    first = captions.article(found[named[0]].text)
    return max(at for at in named if captions.article(found[at].text) == first)


def _entries(found: list[Line]) -> list[Entry]:
    """Return an entry for each line; a short line after a caption can be its heading."""
    entries: list[Entry] = []
    for line in found:
        caption = None if line.table else captions.article(line.text)
        role: Role = "text"
        if caption or (not line.table and captions.annex(line.text)):
            role = "article" if caption else "annex"
        elif not line.table and captions.division(line.text):
            role = "division"
        elif entries and entries[-1].role in ("article", "annex", "division") and captions.is_heading(line):
            role = "article-title"
        entries.append(Entry(role, article_name(caption.number) if caption else "", line.quoted))
    return entries


def _is_caption(line: Line) -> bool:
    if line.quoted or line.table:
        return False
    known = (captions.article, captions.annex, captions.division)
    return any(is_caption(line.text) for is_caption in known)

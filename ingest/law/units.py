"""Assigns blocks to units: recitals, articles, annexes, and the rest before and after them."""

import re
from dataclasses import dataclass, field
from typing import Final, Literal

from ingest.errors import PageError
from ingest.law.blocks import Block
from ingest.law.captions import (
    annex_name,
    annex_number,
    any_number,
    appendix_name,
    article_name,
    article_number,
    division_rank,
    is_appendix,
    is_next_integer,
    recital_number,
    unquoted,
)
from ingest.law.contents import Entry, contents
from ingest.law.formulas import begins_preamble, begins_reasons, is_enacting, is_final, is_unnumbered_recital
from ingest.law.inline import REFERENCE
from ingest.law.model import Division, UnitKind
from ingest.law.walk import UNIT_ID
from ingest.law.writing import plain

_LOWEST_RANK: Final = 9
_RECITAL: Final = re.compile(r"\((\d{1,4}[a-z]?)\)\s+(?=\S)")
_EEA: Final = re.compile(
    r"^\(?(?:Text with EEA relevance|Texte présentant de l.intérêt pour l.EEE|Text von)", re.I
)
_NUMBERED: Final = re.compile(r"^\W*(?:part|partie|teil|section|[A-Z]|[IVX]+|\d+)\b[.):]?", re.I)


@dataclass(slots=True, kw_only=True)
class Draft:
    """A unit whose blocks are being collected."""

    kind: UnitKind
    name: str
    number: str = ""
    label: str = ""
    heading: str = ""
    anchor: str = ""
    divisions: tuple[Division, ...] = ()
    blocks: list[Block] = field(default_factory=list)


def drafts(blocks: list[Block]) -> tuple[list[str], list[Draft], dict[str, Block]]:
    """Return the lines of the act's title, its units in order, and its footnotes by key."""
    for at in contents([_entry(block) for block in blocks]):
        blocks[at].role = "contents"
    assembly = _Assembly(numbered=_has_numbered_recitals(blocks))
    for block in blocks:
        assembly.take(block)
    assembly.close()
    _check(assembly)
    found = [draft for draft in assembly.found if draft.blocks or draft.kind in ("article", "annex", "act")]
    return assembly.title, found, assembly.notes


class _Assembly:
    """Takes blocks in order; ``current`` receives those that are not captions."""

    def __init__(self, *, numbered: bool) -> None:
        self.title: list[str] = []
        self.notes: dict[str, Block] = {}
        self.unknown = ""
        self.act = Draft(kind="act", name="act")
        self.final = Draft(kind="final", name="final")
        self.found = [self.act]
        self.current = self.act
        self._divisions: list[tuple[int, Division]] = []
        self._unfilled: list[tuple[int, Block]] = []
        self._numbered = numbered
        self._recitals = 0
        self._place: Literal["start", "preamble", "reasons", "terms"] = "start"
        self._outdented = False
        self._last_article = ""
        self._annex = ""
        self._begun: set[str] = set()
        self._articles_in_annex = False
        self._note: Block | None = None

    def take(self, block: Block) -> None:
        if block.role == "rule":
            return
        if block.role == "note" and block.quotation is None and not block.depth:
            self._take_note(block)
        elif block.quotation is not None or block.depth:
            self._take_text(block)
        elif block.role == "title":
            self._take_title(block)
        elif block.role == "annex" and (annex_number(block.text) is not None or self.current.kind != "annex"):
            self._start_annex(block)
        elif block.role == "article":
            self._take_article(block)
        elif block.role in ("article-title", "annex", "annex-title"):
            self._take_heading(block)
        elif block.role in ("division", "division-title"):
            self._take_division(block)
        else:
            self._take_text(block)

    def close(self) -> None:
        """End the text: captions of divisions without units go to the last unit."""
        self._flush_divisions(above=-1)
        if self.final.blocks:
            self.found.append(self.final)

    def _take_note(self, block: Block) -> None:
        if block.key and block.key not in self.notes:
            self.notes[block.key] = self._note = block
        elif self._note is not None and not block.key:
            self._note.text += f" {block.text}"
        else:
            self.current.blocks.append(block)

    def _take_title(self, block: Block) -> None:
        if annex_number(block.text) is not None or self._begins(block, "anx_"):
            self._start_annex(block)
        elif self.current.kind == "annex":
            self._take_heading(block)
        elif self._before_units():
            self.title.append(plain(block.text))
            self.act.anchor = self.act.anchor or block.anchor
            if _EEA.match(block.text) or REFERENCE.search(block.text):
                self.title.pop()
                self.act.blocks.append(block)
        else:
            self.current = self.final
            self.final.blocks.append(_heading(block))

    def _begins(self, block: Block, prefix: str) -> bool:
        """Return True if an id says that a unit begins here, whatever its caption says."""
        return (
            block.anchor.startswith(prefix)
            and UNIT_ID.fullmatch(block.anchor) is not None
            and block.anchor not in self._begun
        )

    def _before_units(self) -> bool:
        return self.current is self.act and len(self.found) == 1 and not self._divisions

    def _start_annex(self, block: Block) -> None:
        printed = annex_number(block.text)
        number = any_number(block.text) if printed is None else printed
        self._articles_in_annex = False
        if is_appendix(block.text):
            name = appendix_name(number, self._annex)
        else:
            name = self._annex = annex_name(number)
        self._start(
            Draft(
                kind="annex",
                name=name,
                number=number,
                label=block.text,
                anchor=block.anchor,
            )
        )

    def _take_article(self, block: Block) -> None:
        number = article_number(block.text)
        if number is None and self._begins(block, "art_"):
            number = any_number(block.text) or any_number(block.anchor.removeprefix("art_")) or None
        if number is None and any_number(block.text):
            self.unknown = self.unknown or block.text
        if number is None or (self.current.kind == "annex" and not self._returns_to_act(block, number)):
            self._take_text(_heading(block, level=2))
            return
        self._last_article = number
        self._start(
            Draft(
                kind="article",
                name=article_name(number),
                number=number,
                label=block.text,
                anchor=block.anchor,
                divisions=tuple(division for _, division in self._divisions),
            )
        )

    def _returns_to_act(self, block: Block, number: str) -> bool:
        """Return True if an article after a supposed annex is the act's own: it has the id of its number, or
        its number is the next and the annex has no other article."""
        if block.anchor == article_name(number):
            return True
        first = not self._articles_in_annex
        self._articles_in_annex = True
        return first and bool(self._last_article) and is_next_integer(number, self._last_article)

    def _start(self, draft: Draft) -> None:
        if draft.kind == "article":
            self._unfilled.clear()
        else:
            self._flush_divisions(above=-1)
        self.found.append(draft)
        self.current = draft
        self._begun.add(draft.anchor)

    def _take_heading(self, block: Block) -> None:
        current = self.current
        if current.kind in ("article", "annex") and not current.blocks:
            current.heading = f"{current.heading} {block.text}".strip()
        else:
            self._take_text(_heading(block))

    def _take_division(self, block: Block) -> None:
        if self.current.kind == "annex" or (block.role == "division-title" and not self._unfilled):
            self._take_text(_heading(block))
            return
        if block.role == "division-title":
            rank, division = self._divisions[-1]
            heading = f"{division.heading} {plain(block.text)}".strip()
            self._divisions[-1] = (rank, Division(label=division.label, heading=heading))
        else:
            rank = self._push_division(plain(block.text))
        self._unfilled.append((rank, _heading(block)))

    def _push_division(self, label: str) -> int:
        rank = division_rank(label)
        if rank is None:
            rank = self._rank_of_unknown(label)
        self._flush_divisions(above=rank - 1)
        self._divisions = [(other, division) for other, division in self._divisions if other < rank]
        self._divisions.append((rank, Division(label=label)))
        return rank

    def _rank_of_unknown(self, label: str) -> int:
        """Return the rank of the open division whose label begins with the same word, otherwise the rank
        below all open ones."""
        word = label.partition(" ")[0].casefold()
        for rank, division in self._divisions:
            if division.label.partition(" ")[0].casefold() == word:
                return rank
        below = self._divisions[-1][0] + 1 if self._divisions else 0
        return min(below, _LOWEST_RANK)

    def _flush_divisions(self, above: int) -> None:
        """Add captions of divisions that ended without a unit to the current unit, as headings."""
        self.current.blocks.extend(block for rank, block in self._unfilled if rank > above)
        self._unfilled = [(rank, block) for rank, block in self._unfilled if rank <= above]

    def _take_text(self, block: Block) -> None:
        if self._takes_as_heading(block):
            self.current.heading = block.text
            return
        self._choose(block)
        self.current.blocks.append(block)

    def _takes_as_heading(self, block: Block) -> bool:
        """Return True for the first heading in an annex without a title, unless it is numbered, because then
        it begins a list of headings."""
        annex = self.current
        if block.role != "heading" or annex.kind != "annex" or annex.blocks or annex.heading:
            return False
        return block.quotation is None and not _NUMBERED.match(block.text)

    def _choose(self, block: Block) -> None:
        """Set ``current`` to the unit that the block belongs to."""
        if self.current.kind in ("act", "recital"):
            self._choose_before_articles(block)
        if self.current.kind in ("act", "recital", "article") and self._ends_act(block):
            self.current = self.final

    def _choose_before_articles(self, block: Block) -> None:
        reasons = self._place == "reasons"
        if not block.depth and is_enacting(block.text):
            self._place = "terms"
        elif self._place == "start" and begins_preamble(block.text):
            self._place = "preamble"
        if self._place == "preamble" and not self._numbered and begins_reasons(block.text):
            self._place = "reasons"
        elif self._starts_recital(block, each=reasons):
            return
        if self.current.kind == "recital" and not block.depth and not self._is_within(block):
            self.current = self.act

    def _starts_recital(self, block: Block, *, each: bool) -> bool:
        """Begin a recital with the block and return True; also return True if the block continues a recital
        that is not a list item. ``each``: every paragraph is a recital.
        """
        anchored = block.anchor.startswith("rct_")
        if self._place == "terms" or not (anchored or self._place != "start"):
            return False
        if block.quotation is not None:
            return self._outdented
        number = _recital_number(block)
        if number is not None and block.depth <= 1:
            self._start_recital(number, block)
        elif number is None and not block.depth and not self._numbered and not anchored:
            if not each and not is_unnumbered_recital(block.text):
                return self._outdented
            self._start_recital("", block)
        else:
            return self._outdented
        return True

    def _is_within(self, block: Block) -> bool:
        return block.anchor == self.current.anchor and UNIT_ID.fullmatch(block.anchor) is not None

    def _start_recital(self, printed: str, block: Block) -> None:
        self._recitals += 1
        number = printed or str(self._recitals)
        self.current = Draft(
            kind="recital",
            name=f"rct_{number}",
            number=number,
            label=f"({printed})" if printed else "",
            anchor=block.anchor,
        )
        self.found.append(self.current)
        self._outdented = not block.depth
        if block.depth:
            block.marker = None
        elif printed:
            block.text = _RECITAL.sub("", block.text, count=1)

    def _ends_act(self, block: Block) -> bool:
        if block.depth or block.quotation is not None:
            return False
        return block.role == "signature" or block.anchor == "fnp_1" or is_final(unquoted(block.text))


def _check(assembly: "_Assembly") -> None:
    """Raise ``PageError`` if no caption of the act is understood, because it would become one page."""
    known = any(draft.kind in ("article", "annex") for draft in assembly.found)
    if assembly.unknown and not known:
        raise PageError(
            "unsupported",
            f"The captions of articles in this text are unknown (“{assembly.unknown[:40]}”), so the "
            "articles cannot be told apart. Index the act in another language.",
        )


def _entry(block: Block) -> Entry:
    number = article_number(block.text) if block.role == "article" else None
    is_annex = block.role == "title" and annex_number(block.text) is not None
    return Entry(
        "annex" if is_annex else block.role,
        "" if number is None else article_name(number),
        quoted=block.quotation is not None or block.depth > 0,
    )


def _recital_number(block: Block) -> str | None:
    """Return the recital number at the beginning of a list item or paragraph, or None."""
    if block.depth:
        return recital_number(block.marker or "")
    found = _RECITAL.match(block.text) if block.role == "text" else None
    return found[1] if found else None


def _has_numbered_recitals(blocks: list[Block]) -> bool:
    for block in blocks:
        if block.role == "article" and block.quotation is None:
            return False
        if block.quotation is None and block.depth <= 1 and _recital_number(block) is not None:
            return True
    return False


def _heading(block: Block, level: int = 1) -> Block:
    block.role, block.level = "heading", level
    return block

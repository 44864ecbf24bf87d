"""From blocks to units: recitals, articles, annexes, and the rest before and after them."""

import re
from dataclasses import dataclass, field
from typing import Final

from ingest.law.blocks import Block
from ingest.law.captions import (
    annex_name,
    annex_number,
    article_name,
    article_number,
    division_rank,
    is_next_integer,
    recital_number,
    unquoted,
)
from ingest.law.inline import REFERENCE
from ingest.law.model import Division, UnitKind
from ingest.law.walk import UNIT_ID
from ingest.law.writing import plain

_FINAL: Final = re.compile(
    r"^(?:(?:This|The present) (?:Regulation|Decision|Directive) (?:shall be|is) binding in its entirety"
    r"|(?:Le présent règlement|La présente décision) est obligatoire dans tous ses éléments"
    r"|Diese[rs]? (?:Verordnung|Beschluss) ist in allen (?:ihren|seinen) Teilen verbindlich"
    r"|Done at \w|Fait à \w|Geschehen zu \w)",
    re.I,
)
_PREAMBLE: Final = re.compile(
    r"having regard|whereas|vu |considérant|gestützt|in Erwägung|in der Erwägung", re.I
)
_EEA: Final = re.compile(
    r"^\(?(?:Text with EEA relevance|Texte présentant de l.intérêt pour l.EEE|Text von)", re.I
)
_NUMBERED: Final = re.compile(r"^\W*(?:part|partie|teil|section|[A-Z]|[IVX]+|\d+)\b[.):]?", re.I)


@dataclass(slots=True, kw_only=True)
class Draft:
    """A unit whose blocks are being gathered."""

    kind: UnitKind
    name: str
    number: str = ""
    label: str = ""
    heading: str = ""
    anchor: str = ""
    divisions: tuple[Division, ...] = ()
    blocks: list[Block] = field(default_factory=list)


def drafts(blocks: list[Block]) -> tuple[list[str], list[Draft], dict[str, Block]]:
    """The lines of the act's title, its units in their order, and its footnotes by key."""
    assembly = _Assembly()
    for block in blocks:
        assembly.take(block)
    assembly.close()
    found = [draft for draft in assembly.found if draft.blocks or draft.kind in ("article", "annex", "act")]
    return assembly.title, found, assembly.notes


class _Assembly:
    """Reads blocks in order; ``current`` receives what is no caption."""

    def __init__(self) -> None:
        self.title: list[str] = []
        self.notes: dict[str, Block] = {}
        self.act = Draft(kind="act", name="act")
        self.final = Draft(kind="final", name="final")
        self.found = [self.act]
        self.current = self.act
        self._divisions: list[tuple[int, Division]] = []
        self._unfilled: list[tuple[int, Block]] = []
        self._in_preamble = False
        self._last_article = ""
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
        """The end of the text: what was opened and never filled goes to the last unit."""
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
        if annex_number(block.text) is not None:
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

    def _before_units(self) -> bool:
        return self.current is self.act and len(self.found) == 1 and not self._divisions

    def _start_annex(self, block: Block) -> None:
        number = annex_number(block.text)
        self._articles_in_annex = False
        self._start(
            Draft(
                kind="annex",
                name=annex_name(number or ""),
                number=number or "",
                label=block.text,
                anchor=block.anchor,
            )
        )

    def _take_article(self, block: Block) -> None:
        number = article_number(block.text)
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
        """Whether an article behind what seemed to be an annex is the act's own: it has the identifier of its
        number, or the number is the next and no other article stands in the annex."""
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
            rank = self._divisions[-1][0] + 1 if self._divisions else 0
        self._flush_divisions(above=rank - 1)
        self._divisions = [(other, division) for other, division in self._divisions if other < rank]
        self._divisions.append((rank, Division(label=label)))
        return rank

    def _flush_divisions(self, above: int) -> None:
        """Captions of divisions that ended before a unit came stay as headings in the unit before."""
        self.current.blocks.extend(block for rank, block in self._unfilled if rank > above)
        self._unfilled = [(rank, block) for rank, block in self._unfilled if rank <= above]

    def _take_text(self, block: Block) -> None:
        if self._takes_as_heading(block):
            self.current.heading = block.text
            return
        self._choose(block)
        self.current.blocks.append(block)

    def _takes_as_heading(self, block: Block) -> bool:
        """The first heading in an annex without a title is its title, if it does not begin a list of them."""
        annex = self.current
        if block.role != "heading" or annex.kind != "annex" or annex.blocks or annex.heading:
            return False
        return block.quotation is None and not _NUMBERED.match(block.text)

    def _choose(self, block: Block) -> None:
        """Sets ``current`` to the unit that the block belongs to."""
        if self.current.kind in ("act", "recital"):
            self._choose_before_articles(block)
        if self.current.kind in ("act", "recital", "article") and self._ends_act(block):
            self.current = self.final

    def _choose_before_articles(self, block: Block) -> None:
        self._in_preamble = self._in_preamble or _PREAMBLE.match(block.text) is not None
        number = recital_number(block.marker or "")
        within = block.anchor.startswith("rct_") or self._in_preamble
        if number is not None and within and block.depth == 1 and block.quotation is None:
            self._start_recital(number, block)
        elif self.current.kind == "recital" and not block.depth and not self._is_within(block):
            self.current = self.act

    def _is_within(self, block: Block) -> bool:
        return block.anchor == self.current.anchor and UNIT_ID.fullmatch(block.anchor) is not None

    def _start_recital(self, number: str, block: Block) -> None:
        self.current = Draft(
            kind="recital", name=f"rct_{number}", number=number, label=f"({number})", anchor=block.anchor
        )
        self.found.append(self.current)
        block.marker = None

    def _ends_act(self, block: Block) -> bool:
        if block.depth or block.quotation is not None:
            return False
        return (
            block.role == "signature"
            or block.anchor == "fnp_1"
            or _FINAL.match(unquoted(block.text)) is not None
        )


def _heading(block: Block, level: int = 1) -> Block:
    block.role, block.level = "heading", level
    return block

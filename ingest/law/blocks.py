"""Blocks of a text of law before it is divided into units: a flat list.

Items of lists have a depth instead of being nested, so that no input, however deep, needs recursion.
"""

from dataclasses import dataclass
from typing import Final, Literal

Role = Literal[
    "text", "table", "heading", "title", "annex", "annex-title", "article", "article-title",
    "division", "division-title", "signature", "note", "contents", "rule",
    "quoted-article", "quoted-article-title",
]  # fmt: skip

ROLES: Final[dict[str, Role]] = {
    "doc-ti": "title", "title-doc-first": "title", "title-doc-last": "title",
    "title-annex-1": "annex", "title-annex-2": "annex-title",
    "ti-art": "article", "title-article-norm": "article", "title-article-quoted": "quoted-article",
    "sti-art": "article-title", "stitle-article-norm": "article-title",
    "stitle-article-quoted": "quoted-article-title",
    "ti-section-1": "division", "title-division-1": "division",
    "ti-section-2": "division-title", "title-division-2": "division-title",
    "ti-grseq-1": "heading", "title-gr-seq-level-1": "heading", "title-gr-seq-level-2": "heading",
    "title-gr-seq-level-3": "heading", "title-gr-seq-level-4": "heading",
    "signatory": "signature", "note": "note", "footnote": "note",
    "toc-item": "contents", "title-toc": "contents",
}  # fmt: skip
"""Roles of paragraphs by their class, without the prefix ``oj-``."""

CAPTIONS: Final[frozenset[Role]] = frozenset({"article", "article-title", "division", "division-title"})

QUOTED: Final[dict[Role, Role]] = {"quoted-article": "article", "quoted-article-title": "article-title"}
"""Roles of captions whose class says that they are quoted, and their roles once the quotation is marked."""

_DEEPEST_LEVEL: Final = 4


@dataclass(slots=True, kw_only=True)
class Block:
    """A paragraph, caption, footnote or table.

    ``depth``: the number of list items it is in. ``marker``: the item's printed marker if the block begins
    one, empty for a dash, ``None`` if it continues one. ``anchor``: the ``id`` of the unit or element it is
    in. ``level``: that of a heading. ``amended_by``: the amendments its text comes from. ``quotation``: the
    depth of the quotation it is part of, ``None`` outside. ``key`` and ``label``: those of a footnote.
    """

    role: Role
    text: str
    depth: int = 0
    marker: str | None = None
    anchor: str = ""
    level: int = 0
    amended_by: tuple[str, ...] = ()
    quotation: int | None = None
    key: str = ""
    label: str = ""

    @property
    def start(self) -> str:
        """The marker and text, as printed."""
        return f"{self.marker or ''} {self.text}".strip()


def role_of(classes: list[str]) -> Role:
    """Return the role that an element's classes give it; ``text`` if they give none."""
    return next((ROLES[name] for name in classes if name in ROLES), "text")


def level_of(classes: list[str]) -> int:
    """Return the level of a heading, 1 to 4."""
    for name in classes:
        digit = name.rpartition("-")[2]
        if name in ROLES and digit.isdigit():
            return min(int(digit), _DEEPEST_LEVEL)
    return 1


def classes_of(value: str | None) -> list[str]:
    """Return the names in a ``class`` attribute, those of the Official Journal without their prefix."""
    return [name.removeprefix("oj-") for name in (value or "").split()]

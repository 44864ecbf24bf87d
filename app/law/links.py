"""Resolves the references of a page of law to pages. Pure functions.

References are stored by act and unit, without version or language, because the target may be indexed later,
and the scope of the question decides on the version.
"""

from collections import defaultdict
from collections.abc import Collection, Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import Final

from app.law.units import json_list, law_unit
from app.law.versions import ActVersion
from app.search.types import IndexedPage, collection
from ingest.law.pages import page_id
from ingest.law.roman import roman, roman_value
from ingest.law.treaties import editions
from ingest.types import PageRef

_KINDS: Final = {"art": "article", "rct": "recital", "anx": "annex", "act": "act"}
_ANNEX_DIGITS: Final = 2
_FALLBACK_LANGUAGES: Final = ("en", "de", "fr")


@dataclass(frozen=True, slots=True, kw_only=True)
class Target:
    """A unit of an act. ``unit``: its id within the act; ``"act"`` for the act as a whole."""

    celex: str
    unit: str


def references_of(page: IndexedPage) -> list[Target]:
    """Return the units that the page refers to, in the order of its text."""
    if law_unit(page) is None:
        return []
    named = (entry.partition("/") for entry in json_list(page.metadata.get("references", "")))
    return [Target(celex=celex, unit=unit or "act") for celex, _, unit in named]


class ActTexts:
    """The texts of acts in scope: ``versions`` by act, without the ``hidden`` collections."""

    def __init__(self, versions: Iterable[ActVersion] = (), hidden: Collection[str] = ()) -> None:
        self._hidden = hidden
        self._by_act: Mapping[str, list[ActVersion]] = defaultdict(list)
        for text in versions:
            self._by_act[text.celex].append(text)

    def refs(self, target: Target, languages: Sequence[str]) -> list[PageRef]:
        """Return the pages that may be the target, in the order of ``languages``."""
        texts = self.of_act(target.celex, _KINDS.get(target.unit.partition("_")[0], ""))
        units = [target.unit, *_otherwise_numbered(target.unit)]
        wanted = [*languages, *_FALLBACK_LANGUAGES]

        def preference(text: ActVersion) -> tuple[int, str]:
            rank = wanted.index(text.language) if text.language in wanted else len(wanted)
            return rank, text.language

        return [
            PageRef(source=text.source, id=page_id(text.celex, text.version, unit), language=text.language)
            for text in sorted(texts, key=preference)
            for unit in units
        ]

    def of_act(self, celex: str, kind: str) -> list[ActVersion]:
        """Return the act's texts whose pages of this kind are not hidden. A treaty that is not indexed is
        replaced by another consolidated version with the same numbers."""
        texts = next((self._by_act[name] for name in editions(celex) if name in self._by_act), ())
        return [text for text in texts if collection(text.source, text.document, kind) not in self._hidden]


def _otherwise_numbered(unit: str) -> list[str]:
    """Return the unit with the other kind of number, because people use both: ``anx_III`` for ``anx_3`` and
    vice versa."""
    kind, _, number = unit.partition("_")
    if kind != "anx":
        return []
    if number.isascii() and number.isdecimal() and len(number) <= _ANNEX_DIGITS and int(number):
        return [f"anx_{roman(int(number))}"]
    value = roman_value(number)
    return [f"anx_{value}"] if value else []

"""What a question may be answered from in law: which texts, under which names, until when they applied."""

from collections import defaultdict
from collections.abc import Callable, Collection, Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from datetime import date
from functools import lru_cache
from typing import Final

from app.law.catalogue import Catalogue, Versions
from app.law.links import Target, Texts, references_of
from app.law.terms import used_terms
from app.law.units import law_unit
from app.law.versions import ActVersion, Validity, out_of_scope, validities
from app.search.types import ANY_TIME, IndexedPage, TimeFilter, collection
from ingest.law import lookup
from ingest.law.act_names import ActNames
from ingest.law.names import customary_names
from ingest.types import PageRef

KEPT_SCOPES: Final = 32
"""Scopes kept ready: sites ask for few sets of sources, and nearly always about today."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Scope:
    """The texts of one question. ``hidden``: the collections (:func:`app.search.types.collection`) it is not
    answered from."""

    versions: Sequence[ActVersion] = ()
    texts: Texts = field(default_factory=Texts)
    hidden: frozenset[str] = frozenset()
    today: date = date.min
    validities: Mapping[tuple[str, str, date], Validity] = field(default_factory=dict)
    names: ActNames = field(default_factory=lambda: ActNames({}))

    def choices(self, targets: Iterable[Target], languages: Sequence[str]) -> list[list[PageRef]]:
        """For each target that has a text in scope the pages that may be it, preferred ones first."""
        return [refs for target in targets if (refs := self.texts.refs(target, languages))]

    def named(self, question: str) -> Target | None:
        """The text that is all the question names, such as "Article 6 AI Act"."""
        found = lookup.named(question, self.names) if self.versions else None
        return _target(found) if found else None

    def mentioned(self, question: str) -> list[Target]:
        """The units that the question names among other things."""
        found = lookup.mentioned(question, self.names) if self.versions else ()
        return [_target(item) for item in found if item.unit]

    def linked(self, page: IndexedPage, languages: Sequence[str]) -> list[list[PageRef]]:
        """The pages that ``page`` refers to, each with its choices."""
        return self.choices(references_of(page), languages)

    def defined(self, question: str, celex: str, language: str) -> dict[str, list[str]]:
        """The terms in the question that the act's text in this language defines, by the defining unit."""
        units: dict[str, list[str]] = defaultdict(list)
        for text in self.texts.of_act(celex, "article"):
            if text.language == language:
                for term in used_terms(question, text.terms, language):
                    units[term.unit].append(term.term)
        return units

    def recitals(self, acts: Collection[str]) -> frozenset[str]:
        """The parts with the recitals of these acts, by CELEX number."""
        parts = (
            collection(text.source, text.document, "recital")
            for text in self.versions
            if text.celex in acts and text.recitals
        )
        return frozenset(parts) - self.hidden

    def ended(self, page: IndexedPage) -> date | None:
        """The day since which another text, or none, applies; ``None`` where the page's still does. Recitals
        are those of all later texts of their act, too."""
        law = law_unit(page)
        if law is None:
            return None
        version = self._last_version(page.ref.source, law.celex) if page.kind == "recital" else law.version
        validity = self.validities.get((page.ref.source, law.celex, version)) if version else None
        return validity.until if validity and not validity.covers(self.today) else None

    def _last_version(self, source: str, celex: str) -> date | None:
        versions = (day for known, act, day in self.validities if (known, act) == (source, celex))
        return max(versions, default=None)


def _target(named: lookup.NamedUnit) -> Target:
    return Target(celex=named.celex, unit=named.unit or "act")


class Law:
    """Gives the scope of questions. Safe to use from several threads."""

    def __init__(self, catalogue: Catalogue, today: Callable[[], date] = date.today) -> None:
        self._catalogue = catalogue
        self._today = today
        self._scope_of = lru_cache(maxsize=KEPT_SCOPES)(_scope)

    def scope(self, sources: frozenset[str], time: TimeFilter = ANY_TIME) -> Scope:
        """Of a question to ``sources`` about the law of a time, of today by default.

        Raises ``PageStoreUnavailableError``.
        """
        return self._scope_of(self._catalogue.versions(), sources, time, self._today())


def _scope(known: Versions, sources: frozenset[str], time: TimeFilter, today: date) -> Scope:
    versions = [text for text in known if text.source in sources]
    if not versions:
        return Scope()
    hidden = out_of_scope(versions, time, today)
    return Scope(
        versions=versions,
        texts=Texts(versions, hidden),
        hidden=hidden,
        today=today,
        validities=validities(versions),
        names=ActNames({text.name: text.celex for text in versions} | dict(customary_names())),
    )

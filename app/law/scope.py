"""The scope of a question about law: the texts it may be answered from, with their names and validity
periods."""

from collections import defaultdict
from collections.abc import Callable, Collection, Iterable, Mapping, Sequence
from copy import copy
from dataclasses import dataclass, field
from datetime import date
from functools import cache, lru_cache
from typing import Final

from app.law.annotations import NO_ANNOTATIONS, Span, UnitAnnotations, none_now
from app.law.catalogue import Versions
from app.law.links import ActTexts, Target, references_of
from app.law.terms import used_terms
from app.law.units import celex_of, law_unit
from app.law.versions import ActVersion, Validity, hidden_collections, validity_periods
from app.search.retrieval import ANY_TIME, TimeFilter
from app.search.types import IndexedPage, collection
from ingest.law import lookup
from ingest.law.act_names import ActNames
from ingest.law.names import customary_names
from ingest.types import PageRef

KEPT_SCOPES: Final = 32
"""The size of the cache; enough because there are few sets of sources, and nearly all questions are about
today."""


GLOSSARY_TERMS: Final = 3
"""A page that defines at least this many terms is a list of definitions."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Scope:
    """The texts for one question. ``hidden``: the collections (:func:`app.search.types.collection`) to leave
    out of the search. ``at``: the day asked about, if any. ``validity_periods``: by source, CELEX number and
    version."""

    versions: Sequence[ActVersion] = ()
    texts: ActTexts = field(default_factory=ActTexts)
    at: date | None = None
    hidden: frozenset[str] = frozenset()
    today: date = date.min
    validity_periods: Mapping[tuple[str, str, date], Validity] = field(default_factory=dict)
    names: ActNames = field(default_factory=lambda: ActNames({}))
    annotations: UnitAnnotations = NO_ANNOTATIONS

    def choices(self, targets: Iterable[Target], languages: Sequence[str]) -> list[list[PageRef]]:
        """Return for each target with a text in scope the pages that may be it, preferred ones first."""
        return [refs for target in targets if (refs := self.texts.refs(target, languages))]

    def requested_targets(self, question: str) -> list[Target]:
        """Return the text that the question consists of ("Article 6 AI Act") or asks for ("What does Article
        6 of the AI Act say?"). If it names no act, return the unit in every act, the latest first. Empty for
        other questions."""
        found = lookup.named(question, self.names, sole="")
        if found is None:
            return []
        if found.celex:
            return [_target(found)]
        return [Target(celex=celex, unit=found.unit) for celex in self.acts]

    def naming_language(self, question: str) -> str | None:
        """Return the language in which the question names a text; ``None`` if it names none, or if the
        language is unclear."""
        return lookup.naming_language(question, self.names)

    def readings(self, question: str, acts: Iterable[str]) -> tuple[str, ...]:
        """Return the question with the name of each of these acts added."""
        names = {text.celex: text.name for text in self.versions}
        asked = question.rstrip("?!. ")
        return tuple(f"{asked} – {names[celex]}{question[len(asked) :].strip()}" for celex in acts)

    def mentioned_targets(self, question: str, *, with_sole_act: bool = False) -> list[Target]:
        """Return the units that the question mentions. ``with_sole_act``: units without an act belong to the
        only act in scope, if there is just one."""
        sole = self.acts[0] if with_sole_act and len(self.acts) == 1 else None
        found = lookup.mentioned(question, self.names, sole)
        return [_target(item) for item in found if item.unit]

    @property
    def acts(self) -> list[str]:
        """The CELEX numbers of the acts with a text in scope, the latest text first."""
        latest = sorted(self.versions, key=lambda text: (text.version, text.celex), reverse=True)
        return [celex for celex in dict.fromkeys(text.celex for text in latest) if self.has_text(celex)]

    def has_text(self, celex: str) -> bool:
        """Return True if the act has a text in scope."""
        return bool(self.texts.of_act(celex, "act"))

    def mentioned_acts(self, question: str) -> list[str]:
        """Return the CELEX numbers of the acts that the question mentions, with or without a unit."""
        found = lookup.mentioned(question, self.names)
        return list(dict.fromkeys(item.celex for item in found))

    def named_targets(self, words: str) -> list[Target]:
        """Return the units that ``words`` name; if they name no act, those of every act, sorted by name."""
        found = lookup.units_named(words, self.names)
        acts = sorted({(text.name, text.celex) for text in self.versions})
        return [
            Target(celex=celex, unit=item.unit)
            for item in found
            for celex in ([item.celex] if item.celex else [celex for _, celex in acts])
        ]

    def linked(
        self, page: IndexedPage, languages: Sequence[str], near: Sequence[Span] = ()
    ) -> list[list[PageRef]]:
        """Return the choices for each unit that ``page`` refers to, by its annotation, otherwise by its text.
        ``near``: the slices of its content that answer, because chunks can have annotations of their own."""
        annotated = self.annotations.references(page, near)
        return self.choices(references_of(page) if annotated is None else annotated, languages)

    def is_annotated(self, page: IndexedPage) -> bool:
        """Return True if people annotated the references of ``page``."""
        return self.annotations.references(page) is not None

    def terms_in(self, question: str, celex: str, language: str) -> dict[str, list[str]]:
        """Return the question's terms that the act's text in this language defines, by the defining unit."""
        units: dict[str, list[str]] = defaultdict(list)
        for text in self.texts.of_act(celex, "article"):
            if text.language == language:
                for term in used_terms(question, text.terms, language):
                    units[term.unit].append(term.term)
        return units

    def recitals(self, acts: Collection[str]) -> frozenset[str]:
        """Return the collections with the recitals of these acts (CELEX numbers)."""
        collections = (
            collection(text.source, text.document, "recital")
            for text in self.versions
            if text.celex in acts and text.recitals
        )
        return frozenset(collections) - self.hidden

    def provisions(self, celex: str, language: str) -> frozenset[str]:
        """Return the collections with the articles and annexes of an act's text in this language."""
        return frozenset(
            collection(text.source, text.document, kind)
            for kind in ("article", "annex")
            for text in self.texts.of_act(celex, kind)
            if text.language == language
        )

    def is_glossary(self, page: IndexedPage) -> bool:
        """Return True if the page defines several terms: it says what words mean, and binds nobody."""
        unit = page.ref.id.rpartition("/")[2]
        texts = self.texts.of_act(celex_of(page), page.kind)
        return any(sum(term.unit == unit for term in text.terms) >= GLOSSARY_TERMS for text in texts)

    def ended(self, page: IndexedPage) -> date | None:
        """Return the day from which the page's text no longer applies; ``None`` if it still does. Recitals
        also belong to all later texts of their act."""
        law = law_unit(page)
        if law is None:
            return None
        version = self._last_version(page.ref.source, law.celex) if page.kind == "recital" else law.version
        validity = self.validity_periods.get((page.ref.source, law.celex, version)) if version else None
        return validity.until if validity and not validity.covers(self.today) else None

    def _last_version(self, source: str, celex: str) -> date | None:
        versions = (day for known, act, day in self.validity_periods if (known, act) == (source, celex))
        return max(versions, default=None)


def _target(named: lookup.NamedUnit) -> Target:
    return Target(celex=named.celex, unit=named.unit or "act")


class LawScopes:
    """Builds the scopes of questions, and caches them. Thread-safe."""

    def __init__(
        self,
        versions: Callable[[], Versions],
        today: Callable[[], date] = date.today,
        annotations: Callable[[], UnitAnnotations] = none_now,
    ) -> None:
        """``versions``: returns those of all acts, as of now
        (:meth:`app.law.catalogue.Catalogue.versions`)."""
        self._versions = versions
        self._annotations = annotations
        self._today = today
        self._scope_of = lru_cache(maxsize=KEPT_SCOPES)(_scope)

    def now(self) -> "LawScopes":
        """Return the scopes for one question. Acts, annotations and day are read when they are first needed,
        and do not change after that."""
        made = copy(self)
        made._versions, made._annotations = cache(self._versions), cache(self._annotations)
        made._today = cache(self._today)
        return made

    def scope(self, sources: frozenset[str], time: TimeFilter = ANY_TIME) -> Scope:
        """Return the scope of a question to ``sources`` about the law at ``time``, today's by default.

        Raises ``PageStoreUnavailableError``.
        """
        known = self._versions()
        annotations = self._annotations() if known else NO_ANNOTATIONS
        return self._scope_of(known, annotations, sources, time, self._today())


def _scope(
    known: Versions, annotations: UnitAnnotations, sources: frozenset[str], time: TimeFilter, today: date
) -> Scope:
    versions = [text for text in known if text.source in sources]
    if not versions:
        return Scope()
    hidden = hidden_collections(versions, time, today)
    return Scope(
        versions=versions,
        texts=ActTexts(versions, hidden),
        at=time.at,
        hidden=hidden,
        today=today,
        validity_periods=validity_periods(versions),
        annotations=annotations,
        names=ActNames({text.name: text.celex for text in versions} | dict(customary_names())),
    )

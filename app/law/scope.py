"""The scope of a question in law: the texts it may be answered from, with their names and validity
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
from app.search.types import ANY_TIME, IndexedPage, TimeFilter, collection
from ingest.law import lookup
from ingest.law.act_names import ActNames
from ingest.law.names import customary_names
from ingest.types import PageRef

KEPT_SCOPES: Final = 32
"""The size of the cache: there are few sets of sources, and nearly all questions are about today."""


GLOSSARY_TERMS: Final = 3
"""A page that defines as many terms is a list of definitions."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Scope:
    """The texts for one question. ``hidden``: the collections (:func:`app.search.types.collection`) that are
    not searched. ``at``: the day asked for, if any. ``validity_periods``: by source, CELEX number and
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
        """For each target with a text in scope the pages that may be it, preferred ones first."""
        return [refs for target in targets if (refs := self.texts.refs(target, languages))]

    def requested_targets(self, question: str) -> list[Target]:
        """The text that the question consists of, such as "Article 6 AI Act", or that it asks for, such as
        "What does Article 6 of the AI Act say?"; where it names no act, the unit of every act, the latest
        first. None for other questions."""
        found = lookup.named(question, self.names, sole="")
        if found is None:
            return []
        if found.celex:
            return [_target(found)]
        return [Target(celex=celex, unit=found.unit) for celex in self.acts]

    def naming_language(self, question: str) -> str | None:
        """The language in which the question names a text; ``None`` if it names none or that is not plain."""
        return lookup.naming_language(question, self.names)

    def readings(self, question: str, acts: Iterable[str]) -> tuple[str, ...]:
        """The question about a unit of each of these acts, which it does not name."""
        names = {text.celex: text.name for text in self.versions}
        asked = question.rstrip("?!. ")
        return tuple(f"{asked} – {names[celex]}{question[len(asked) :].strip()}" for celex in acts)

    def mentioned_targets(self, question: str, *, with_sole_act: bool = False) -> list[Target]:
        """The units that the question mentions. ``with_sole_act``: those without an act are of the only act
        there is, if there is only one."""
        sole = self.acts[0] if with_sole_act and len(self.acts) == 1 else None
        found = lookup.mentioned(question, self.names, sole)
        return [_target(item) for item in found if item.unit]

    @property
    def acts(self) -> list[str]:
        """The CELEX numbers of the acts with a text in scope, the latest text first."""
        latest = sorted(self.versions, key=lambda text: (text.version, text.celex), reverse=True)
        return [celex for celex in dict.fromkeys(text.celex for text in latest) if self.has_text(celex)]

    def has_text(self, celex: str) -> bool:
        """True if the act has a text in scope."""
        return bool(self.texts.of_act(celex, "act"))

    def mentioned_acts(self, question: str) -> list[str]:
        """The CELEX numbers of the acts that the question mentions, with or without a unit."""
        found = lookup.mentioned(question, self.names)
        return list(dict.fromkeys(item.celex for item in found))

    def named_targets(self, words: str) -> list[Target]:
        """The units that ``words`` name; where they name no act, those of every act, by name."""
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
        """The choices for each unit that ``page`` refers to, by its annotation, else by its text. ``near``:
        the slices of its content that answer, for what is annotated of single chunks."""
        annotated = self.annotations.references(page, near)
        return self.choices(references_of(page) if annotated is None else annotated, languages)

    def is_annotated(self, page: IndexedPage) -> bool:
        """True if people said what ``page`` refers to."""
        return self.annotations.references(page) is not None

    def terms_in(self, question: str, celex: str, language: str) -> dict[str, list[str]]:
        """The question's terms that the act's text in this language defines, by the defining unit."""
        units: dict[str, list[str]] = defaultdict(list)
        for text in self.texts.of_act(celex, "article"):
            if text.language == language:
                for term in used_terms(question, text.terms, language):
                    units[term.unit].append(term.term)
        return units

    def recitals(self, acts: Collection[str]) -> frozenset[str]:
        """The collections with the recitals of these acts (CELEX numbers)."""
        collections = (
            collection(text.source, text.document, "recital")
            for text in self.versions
            if text.celex in acts and text.recitals
        )
        return frozenset(collections) - self.hidden

    def provisions(self, celex: str, language: str) -> frozenset[str]:
        """The collections with the articles and annexes of an act's text in this language."""
        return frozenset(
            collection(text.source, text.document, kind)
            for kind in ("article", "annex")
            for text in self.texts.of_act(celex, kind)
            if text.language == language
        )

    def is_glossary(self, page: IndexedPage) -> bool:
        """True if the page defines several terms: it says what words mean, and binds nobody."""
        unit = page.ref.id.rpartition("/")[2]
        texts = self.texts.of_act(celex_of(page), page.kind)
        return any(sum(term.unit == unit for term in text.terms) >= GLOSSARY_TERMS for text in texts)

    def ended(self, page: IndexedPage) -> date | None:
        """The day from which the page's text no longer applies; ``None`` if it still does. Recitals belong to
        all later texts of their act, too."""
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
        """``versions``: of all acts, as of now (:meth:`app.law.catalogue.Catalogue.versions`)."""
        self._versions = versions
        self._annotations = annotations
        self._today = today
        self._scope_of = lru_cache(maxsize=KEPT_SCOPES)(_scope)

    def now(self) -> "LawScopes":
        """The scopes for one question: acts, annotations and day are as they are when they are first
        needed."""
        made = copy(self)
        made._versions, made._annotations = cache(self._versions), cache(self._annotations)
        made._today = cache(self._today)
        return made

    def scope(self, sources: frozenset[str], time: TimeFilter = ANY_TIME) -> Scope:
        """The scope of a question to ``sources`` about the law of a time, by default of today.

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

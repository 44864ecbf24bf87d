"""The services that show editors what visitors asked."""

from __future__ import annotations

from collections.abc import Collection
from dataclasses import replace
from typing import TYPE_CHECKING, Unpack

from app.chat.events import DoneEvent
from app.chat.provenance import HASH_CHARACTERS
from app.chat.sites import select_sources
from app.errors import InputError, QuestionError
from app.features.questions.answer_changes import AnswerChanges, StandingAnswer
from app.features.questions.comparison_step import ComparisonStep
from app.features.questions.gap_notes import GapNotes, NoteChanges
from app.features.questions.gaps import QuestionGaps
from app.features.questions.grouping_step import GroupingStep
from app.features.questions.groups import QuestionGroups
from app.features.questions.receipt import GapDesk
from app.features.questions.replay import Replayer
from app.features.questions.store import Questions
from app.lazy import lazy
from app.pages.database import utc_now
from app.presets import Thresholds
from app.search.index import live_generation
from app.search.retrieval import ANY_TIME
from app.services.feature_services import FeatureServices
from ingest.protocols import Embedder

if TYPE_CHECKING:
    from app.indexing.stopping import Stop
    from app.services import Services


def is_grouping_due(services: Services) -> bool:
    """Return True if grouping was requested."""
    return services.feature(QuestionServices).groups.is_requested()


def group(services: Services, stop: Stop) -> bool:
    """Group the questions. Return False: there is never more to do at once."""
    return services.feature(QuestionServices).grouping(stop)


def is_comparison_due(services: Services) -> bool:
    """Return True if answers are to be compared, because pages were saved or questions chosen."""
    return services.feature(QuestionServices).answer_changes.is_due()


def compare(services: Services, stop: Stop) -> bool:
    """Answer some questions again. Return True if there is more to do at once."""
    return services.feature(QuestionServices).comparison(stop)


def request_groups(services: Services) -> None:
    """Request grouping of the questions that are left after others expired."""
    services.feature(QuestionServices).groups.request()


class QuestionServices(FeatureServices):
    """Builds the lists of questions, groups and changed answers, and the steps that fill them."""

    @lazy
    def questions(self) -> Questions:
        """The list of visitors' questions."""
        return Questions(self._services.engine)

    @lazy
    def replayer(self) -> Replayer:
        """Asks stored questions again."""
        chat = self._services.chat
        return Replayer(
            questions=self.questions,
            conversations=chat.conversations,
            sites=chat.sites,
            pipelines=chat.pipelines,
            limit=chat.limit,
            all_sources=lambda site: select_sources(self._services.store, None, site.sources),
            fields=self._services.fields,
        )

    @lazy
    def groups(self) -> QuestionGroups:
        """The groups of questions that mean the same."""
        return QuestionGroups(self._services.engine)

    @lazy
    def gaps(self) -> QuestionGaps:
        """The list of the groups, with what their answers lack."""
        services = self._services
        return QuestionGaps(services.engine, utc_now, lambda refs: services.indexing.index.pages(list(refs)))

    @lazy
    def gap_desk(self) -> GapDesk:
        """Asks groups of questions again."""
        return GapDesk(gaps=self.gaps, questions=self.questions, replayer=self.replayer)

    @lazy
    def notes(self) -> GapNotes:
        """The editors' notes on the groups."""
        return GapNotes(self._services.engine)

    @lazy
    def grouping(self) -> GroupingStep:
        """The step that groups visitors' questions by meaning."""
        return GroupingStep(self.groups, self._embedding, done=self.answer_changes.choose)

    def people(self, site: str) -> list[str]:
        """Return the names of the users who may see a site's questions."""
        sources = {each.key: frozenset(each.sources) for each in self._services.chat.sites.all()}
        users = [account.user for account in self._services.users.all()]
        if site not in sources:  # no longer in the settings
            return [user.name for user in users if user.visible_sources is None]
        return [user.name for user in users if user.may_see_all(sources[site])]

    def change_note(
        self,
        answer: str,
        actor: str,
        *,
        sites: Collection[str] | None,
        **changes: Unpack[NoteChanges],
    ) -> None:
        """Change an editor's note (:meth:`GapNotes.change`). Raises ``InputError`` if it is assigned to a
        user who may not see it."""
        if name := changes.get("assigned_to"):
            site = self.questions.stored(answer, sites=sites).record.site
            if name not in self.people(site):
                raise InputError("{name!r} may not see this: assign it to somebody else", name=name)
        self.notes.change(answer, actor, sites=sites, **changes)

    def _embedding(self) -> tuple[Embedder, Thresholds]:
        live = live_generation(self._services.indexing.index, self._services.store.id)
        thresholds = self._services.preset.thresholds(live.recipe.embedder)
        return self._services.indexing.embedders.of(live), thresholds

    @lazy
    def answer_changes(self) -> AnswerChanges:
        """The stored answers that changed when pages were saved."""
        return AnswerChanges(self._services.engine)

    @lazy
    def comparison(self) -> ComparisonStep:
        """The step that compares answers after pages were saved."""
        return ComparisonStep(self.answer_changes, self.answer_anew)

    def answer_anew(self, standing: StandingAnswer) -> StandingAnswer | None:
        """Answer a question without a language model, as it would be answered now.

        Returns ``None`` if its site is gone, or no longer accepts such a question. Raises
        ``IndexUnavailableError``, ``PageStoreUnavailableError`` and what the pipeline raises."""
        chat = self._services.chat
        site = next((each for each in chat.sites.all() if each.key == standing.site), None)
        if site is None:
            return None
        sources = select_sources(self._services.store, None, site.sources)
        setup = chat.pipelines.setup_of(site, sources=sources, language=None, time=ANY_TIME)
        answerer = chat.pipelines.of(site).answerer
        try:
            events = answerer.stream(standing.question, sources=sources, model_disabled="daily_limit")
            done = next(event for event in events if isinstance(event, DoneEvent))
        except QuestionError:
            return None
        embedded = done.retrieval.embedded if done.retrieval else None
        return replace(
            standing,
            setup=f"{setup.preset_hash} {embedded.recipe[:HASH_CHARACTERS] if embedded else ''}".strip(),
            text=done.without_card,
            pages={source.page.ref: source.page.sequence for source in done.sources if source.used},
        )

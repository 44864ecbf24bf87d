"""Asks the questions that an admin gave in the console, some at each call, and keeps the run at the end."""

from __future__ import annotations

import time
from dataclasses import dataclass
from itertools import takewhile
from typing import TYPE_CHECKING, Final

from app.chat.sites import select_sources
from app.errors import InputError, PluginError
from app.features.evaluation.answers import JudgedAnswer, conversation, judge_answers
from app.features.evaluation.asked_pool import AskedPool, AskedPools
from app.features.evaluation.measuring import described, known_gold, not_reranked, notes
from app.features.evaluation.metrics import JudgedQuestion
from app.features.evaluation.pool import MissingGold, PoolQuestion, gold_sources, parsed_pool, with_texts
from app.features.evaluation.results import EvaluationRun, QuestionResult, figures, pool_hash, question_result
from app.features.evaluation.run import judge, served_pages, span_texts
from ingest.types import PageRef

if TYPE_CHECKING:
    from app.indexing.stopping import Stop
    from app.services import Services
    from app.settings.sites import SiteSettings

PART: Final = 20
"""Questions at each call, so that other steps have their turn."""


def is_waiting(services: Services) -> bool:
    """True if there are questions to be asked."""
    return AskedPools(services.engine).is_waiting()


def ask(services: Services, stop: Stop) -> bool:
    """Ask some of the questions, without a model. True if there may be more."""
    pools = AskedPools(services.engine)
    pool = pools.current()
    if pool is None or services.chat.is_answering():
        return False
    try:
        asking = Asking.of(services, services.chat.sites.find(pool.site, None))
        if pool.rest:
            _ask(pools, pool, asking, stop)
        else:
            pools.finish(pool, asking.run(pool))
    except (InputError, PluginError) as error:  # asked again, they fail again
        pools.fail(pool, str(error))
    return not stop()


def begin(services: Services, site: SiteSettings, name: str, text: str) -> int:
    """Have the questions in a file's ``text`` asked of a site in the background, and return their number.

    Raises ``PoolError``, also if no gold page is indexed, and ``ConflictError`` while others are asked.
    """
    questions = parsed_pool(name, text)
    Asking.of(services, site).known_gold(name, questions)
    return AskedPools(services.engine).begin(name, site.key, text)


def _ask(pools: AskedPools, pool: AskedPool, asking: Asking, stop: Stop) -> None:
    """Ask the next questions; those before a stop are kept."""
    started = time.monotonic()
    part = takewhile(lambda _: not stop(), pool.rest[:PART])
    asked = [(question, *asking.asked(question)) for question in part]
    pools.add(
        pool,
        [asking.result(*each) for each in asked],
        seconds=round(time.monotonic() - started, 1),
        not_reranked=not_reranked(judged for _, judged, _ in asked),
    )


@dataclass(frozen=True, slots=True, kw_only=True)
class Asking:
    """Asks a site's pages as visitors do, but for the model. ``served``: the pages that the index serves."""

    services: Services
    site: SiteSettings
    sources: frozenset[str]
    served: list[PageRef]

    @classmethod
    def of(cls, services: Services, site: SiteSettings) -> Asking:
        """Return one of a site. Raises ``IndexUnavailableError``."""
        sources = select_sources(services.store, None, site.sources)
        served = served_pages(services.indexing.index, sources)
        return cls(services=services, site=site, sources=sources, served=served)

    def known_gold(self, name: str, questions: list[PoolQuestion]) -> MissingGold:
        """What of the questions' gold is not served. Raises ``PoolError`` if nothing is."""
        return known_gold(name, questions, self.served)

    def asked(self, question: PoolQuestion) -> tuple[JudgedQuestion, JudgedAnswer]:
        """Answer a question, which says first if it cannot be asked, and search for it."""
        pipeline = self.services.chat.pipelines.of(self.site)
        [known], _ = with_texts([question], span_texts(self.services.indexing.index, self.served, [question]))
        known = conversation(pipeline.answerer, known, self.sources)
        meter = self.services.chat.energy.meter
        [answer] = judge_answers(pipeline.answerer, [known], self.sources, meter=meter)
        [judged] = judge(pipeline.retriever, [known], self.sources)
        return judged, answer

    def result(self, question: PoolQuestion, judged: JudgedQuestion, answer: JudgedAnswer) -> QuestionResult:
        """What is kept of a question."""
        return question_result(question, judged, answer, gold_sources(self.served))

    def run(self, pool: AskedPool) -> EvaluationRun:
        """The run of a pool that was asked to its end."""
        index = self.services.indexing.index
        live = index.live()
        preset = self.services.chat.pipelines.preset_of(self.site)
        questions = list(pool.questions)
        _, missing_spans = with_texts(questions, span_texts(index, self.served, questions))
        missing = self.known_gold(pool.name, questions)
        embedder = live.recipe.embedder if live else {}
        return EvaluationRun(
            started_at=pool.started_at,
            seconds=round(pool.seconds, 1),
            label=preset.name,
            index=f"the live index (generation {live.number})" if live else "the live index",
            pool=pool.name,
            pool_hash=pool_hash(questions),
            configuration={
                **described(self.services, preset, self.sources, embedder),
                "site": self.site.key,
            },
            notes=notes(missing, missing_spans, not_reranked=pool.not_reranked),
            figures=figures(pool.results),
            results=tuple(pool.results),
        )

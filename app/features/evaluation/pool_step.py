"""Asks the questions that an admin uploaded in the console, some at each call; keeps the run at the end."""

from __future__ import annotations

import time
from dataclasses import dataclass
from itertools import takewhile
from typing import TYPE_CHECKING, Final

from app.chat.sites import select_sources
from app.errors import InputError, PluginError, PoolError
from app.features.evaluation.answers import JudgedAnswer, conversation, judge_answers
from app.features.evaluation.asked_pool import AskedPool, AskedPools
from app.features.evaluation.measuring import known_gold, not_reranked, notes, run_configuration
from app.features.evaluation.metrics import JudgedQuestion
from app.features.evaluation.pool import PoolQuestion, gold_sources, parsed_pool, with_texts
from app.features.evaluation.results import EvaluationRun, figures, pool_hash, question_result
from app.features.evaluation.run import judge, served_pages, span_texts
from ingest.types import PageRef

if TYPE_CHECKING:
    from collections.abc import Sequence

    from app.indexing.stopping import Stop
    from app.services import Services
    from app.settings.sites import SiteSettings

PART: Final = 20
"""Questions asked at each call, so that other steps get their turn."""

MOST: Final = 2_000
"""The most questions of a pool: all results, some 14 kB each, are loaded and stored with each part."""


def is_waiting(services: Services) -> bool:
    """Return True if there are questions to be asked."""
    return AskedPools(services.engine).is_waiting()


def ask(services: Services, stop: Stop) -> bool:
    """Ask some of the questions, without a model. Return True if there may be more."""
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
        pools.fail(pool, error)
    return not stop()


def begin(services: Services, site: SiteSettings, name: str, text: str) -> None:
    """Have the questions in a file's ``text`` asked of a site in the background.

    Raises ``PoolError``, also if no gold page is indexed or there are too many questions, and
    ``ConflictError`` while another pool is being asked.
    """
    questions = parsed_pool(name, text)
    if len(questions) > MOST:
        raise PoolError(
            "{name} contains {count:,} questions: use at most {most:,} at once, or run `auskunft evaluate`",
            name=name,
            count=len(questions),
            most=MOST,
        )
    known_gold(name, questions, Asking.of(services, site).served)
    AskedPools(services.engine).begin(name, site.key, text, len(questions))


def _ask(pools: AskedPools, pool: AskedPool, asking: Asking, stop: Stop) -> None:
    """Ask the next questions; the results before a stop are kept."""
    started = time.monotonic()
    part = takewhile(lambda _: not stop(), asking.known(pool.rest[:PART]))
    asked = [asking.asked(question) for question in part]
    indexed = gold_sources(asking.served)
    pairs = zip(pool.rest, asked, strict=False)
    pools.add(
        pool,
        [question_result(question, judged, answer, indexed) for question, (judged, answer) in pairs],
        seconds=round(time.monotonic() - started, 1),
        not_reranked=not_reranked(judged for judged, _ in asked),
    )


@dataclass(frozen=True, slots=True, kw_only=True)
class Asking:
    """Asks a site's pages as visitors do, but without a model. ``served``: the pages in the index."""

    services: Services
    site: SiteSettings
    sources: frozenset[str]
    served: list[PageRef]

    @classmethod
    def of(cls, services: Services, site: SiteSettings) -> Asking:
        """Make one for a site. Raises ``IndexUnavailableError``."""
        sources = select_sources(services.store, None, site.sources)
        served = served_pages(services.indexing.index, sources)
        return cls(services=services, site=site, sources=sources, served=served)

    def known(self, questions: Sequence[PoolQuestion]) -> list[PoolQuestion]:
        """Return the questions with the texts of their spans of law."""
        return with_texts(questions, span_texts(self.services.indexing.index, self.served, questions))[0]

    def asked(self, question: PoolQuestion) -> tuple[JudgedQuestion, JudgedAnswer]:
        """Answer a question, then search for it; in this order, because answering rejects an invalid one."""
        pipeline = self.services.chat.pipelines.of(self.site)
        told = conversation(pipeline.answerer, question, self.sources)
        meter = self.services.chat.energy.meter
        [answer] = judge_answers(pipeline.answerer, [told], self.sources, meter=meter)
        [judged] = judge(pipeline.retriever, [told], self.sources)
        return judged, answer

    def run(self, pool: AskedPool) -> EvaluationRun:
        """Make the run of a pool whose questions have all been asked."""
        index = self.services.indexing.index
        live = index.live()
        preset = self.services.chat.pipelines.preset_of(self.site)
        _, missing_spans = with_texts(pool.questions, span_texts(index, self.served, pool.questions))
        missing = known_gold(pool.name, pool.questions, self.served)
        configuration = run_configuration(
            self.services, preset, self.sources, live.recipe.embedder if live else {}
        )
        return EvaluationRun(
            started_at=pool.started_at,
            seconds=round(pool.seconds, 1),
            label=preset.name,
            index=f"the live index (generation {live.number})" if live else "the live index",
            pool=pool.name,
            pool_hash=pool_hash(pool.questions),
            configuration={**configuration, "site": self.site.key},
            notes=notes(missing, missing_spans, not_reranked=pool.not_reranked),
            figures=figures(pool.results),
            results=tuple(pool.results),
        )

"""Reports the progress of contexts, for commands, checks and metrics."""

from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import reduce
from operator import add
from typing import Any, Final

from app.chat.model.tokens import Prices, Tokens
from app.features.contexts.chunks import ChunkContexts
from app.features.contexts.feature import CONTEXT_DAY, CONTEXT_TOKENS, CONTEXTS
from app.features.contexts.store import ContextStore, Outage, SourceContexts
from app.pages.counters import Key
from app.pages.database import utc_now
from app.settings.contexts import ContextSettings
from ingest.said import Said, joined

BYTES_PER_TOKEN: Final = 4
"""In the longest document that is given as a whole."""

READ_BYTES_PER_TOKEN: Final = 3.5
"""Average, used while nothing has been counted yet."""

PROMPT_TOKENS: Final = 500
"""In a prompt without the document: instructions and chunk."""

REPLY_TOKENS: Final = 80


@dataclass(frozen=True, slots=True, kw_only=True)
class SourceReport:
    """The contexts of one source: ``tokens`` so far, the expected ``rest``, and the reasons for failures."""

    found: SourceContexts
    tokens: Tokens
    rest: Tokens
    reasons: Mapping[str, int]

    def document(self, prices: Prices | None) -> dict[str, Any]:
        """Return the report for JSON."""
        found = self.found
        return {
            "source": found.source,
            "pages": found.pages,
            "due": found.due,
            "outdated": found.outdated,
            "chunks": found.chunks,
            "written": found.written,
            "failed": found.failed,
            "reasons": dict(self.reasons),
            **_use(self.tokens, self.rest, prices),
        }


@dataclass(frozen=True, slots=True, kw_only=True)
class ContextReport:
    """The contexts of all sources that get some.

    ``has_model``: False if none is configured. ``is_limited``: the tokens for today are used up.
    ``ask_above``: the cost above which the command asks for confirmation.
    """

    sources: Sequence[SourceReport]
    has_model: bool
    is_limited: bool
    outage: Outage | None
    prices: Prices | None
    ask_above: float

    @property
    def chunks(self) -> int:
        """The number of chunks."""
        return sum(each.found.chunks for each in self.sources)

    @property
    def written(self) -> int:
        """The number of chunks with a context."""
        return sum(each.found.written for each in self.sources)

    @property
    def failed(self) -> int:
        """The number of chunks that get none."""
        return sum(each.found.failed for each in self.sources)

    @property
    def missing(self) -> int:
        """The number of chunks that lack a context that can still be written."""
        return sum(each.found.missing for each in self.sources)

    @property
    def outdated(self) -> int:
        """The number of pages that were indexed for another model or prompt."""
        return sum(each.found.outdated for each in self.sources)

    @property
    def tokens(self) -> Tokens:
        """The tokens used so far."""
        return reduce(add, (each.tokens for each in self.sources), Tokens())

    @property
    def rest(self) -> Tokens:
        """The tokens expected for the missing contexts."""
        return reduce(add, (each.rest for each in self.sources), Tokens())

    @property
    def summary(self) -> str:
        """The state in one line."""
        parts = [Said("{done:,} of {count:,} chunks written", done=self.written, count=self.chunks)]
        if self.failed:
            parts.append(Said("{count:,} failed (`auskunft contexts` says why)", count=self.failed))
        if not self.has_model:
            parts.append(Said("no language model writes them: chunks have only their headings"))
        elif self.outage is not None:
            outage = self.outage
            parts.append(
                Said(
                    "model unavailable since {since:%Y-%m-%d %H:%M} UTC: {problem}",
                    since=outage.since,
                    problem=outage.reason,
                )
            )
        elif self.is_limited and self.missing:
            parts.append(Said("today's tokens are used up"))
        return joined(parts)

    def document(self) -> dict[str, Any]:
        """Return the report for JSON."""
        away = self.outage and {"since": self.outage.since.isoformat(), "reason": self.outage.reason}
        return {
            "sources": [each.document(self.prices) for each in self.sources],
            **_use(self.tokens, self.rest, self.prices),
            "has_model": self.has_model,
            "daily_limit_reached": self.is_limited,
            "model_away": away,
        }


def context_report(
    *,
    store: ContextStore,
    amounts: Mapping[Key, float],
    chunks: ChunkContexts,
    recipes: Sequence[str],
    settings: ContextSettings,
    has_model: bool,
    source: str | None,
) -> ContextReport:
    """Return the report on all sources that get contexts, or on one. ``amounts``: the counters so far."""
    reasons = store.reasons()
    today = amounts.get((CONTEXT_DAY, "", utc_now().date().isoformat()), 0.0)
    return ContextReport(
        sources=[
            _source(each, amounts, reasons.get(each.source, Counter()))
            for each in store.counts(recipes, BYTES_PER_TOKEN * settings.document_tokens)
            if chunks.wanted(each.source) and source in (None, each.source)
        ],
        has_model=has_model,
        is_limited=0 < settings.daily_tokens <= today,
        outage=store.outage(),
        prices=Prices.of(settings.input_price, settings.cached_price, settings.output_price),
        ask_above=settings.ask_above,
    )


def _use(tokens: Tokens, rest: Tokens, prices: Prices | None) -> dict[str, Any]:
    """Return the tokens and, if prices are known, their costs, for JSON."""
    costs = {} if prices is None else {"cost": prices.cost(tokens), "rest": prices.cost(rest)}
    return {"tokens": tokens.document(), "rest_tokens": rest.document(), **costs}


def _source(found: SourceContexts, amounts: Mapping[Key, float], reasons: Mapping[str, int]) -> SourceReport:
    tokens = _used(amounts, found.source)
    rest = _expected(found, tokens, amounts.get((CONTEXTS, found.source, "written"), 0.0))
    return SourceReport(found=found, tokens=tokens, rest=rest, reasons=reasons)


def _used(amounts: Mapping[Key, float], source: str) -> Tokens:
    """The tokens that the contexts of a source have used so far."""
    prompt, cached, output = (
        amounts.get((CONTEXT_TOKENS, source, kind), 0.0) for kind in ("prompt", "cached", "output")
    )
    return Tokens(prompt=prompt, cached=cached, output=output)


def _expected(found: SourceContexts, so_far: Tokens, replies: float) -> Tokens:
    """The tokens expected for missing contexts.

    Each is expected to take as many as the ``replies`` so far did on average; without replies it depends on
    the length of the documents.
    """
    if replies:
        return so_far.times(found.missing / replies)
    read = found.missing_bytes / READ_BYTES_PER_TOKEN + found.missing * PROMPT_TOKENS
    return Tokens(prompt=read, output=found.missing * REPLY_TOKENS)

"""Compares the blocks of the pages found with the question by their meaning.

Chunks are cut by bytes: one may contain the end of a paragraph and half of a table, and represents neither
well. So the blocks that may answer are embedded themselves when a question finds their page, each below its
title and headings as chunks are. Their vectors are kept for later questions and restarts.

Some texts are near every question: those that mention a little of everything, introduce a subject or list
links. Off-topic questions (:mod:`app.search.examples`) reveal them: such texts are nearer than others to the
mean vector of these examples, and a part of that excess is subtracted from their cosine.
"""

from collections import defaultdict
from collections.abc import Mapping, Sequence
from dataclasses import replace
from itertools import takewhile
from statistics import fmean
from time import monotonic
from typing import Final

import structlog

from app.errors import PageStoreUnavailableError
from app.presets import QuestionPreset
from app.search.block_reader import BlockReader
from app.search.blocks import FoundBlock, best_scores, ranked_blocks
from app.search.examples import OffTopic
from app.search.page_blocks import LruCache
from app.search.query import Meaning, Query
from app.search.retrieval import Hit, NearBlock, is_law_best
from ingest.chunkers.context import context_line
from ingest.embedding import CachedEmbedder
from ingest.errors import EmbedderUnavailableError, PluginError
from ingest.fingerprints import embedder_recipe, recipe_hash, text_hash
from ingest.protocols import Embedder, VectorCache
from ingest.types import FieldName, PageRef, Vectors
from ingest.vectors import MemoryVectorCache

SECONDS: Final = 1.0
"""After this no further batch is embedded. On a slow machine the remaining blocks are compared by their
chunks."""

BATCH: Final = 8
LAW_UNITS: Final = 10
LAW_BLOCKS: Final = 3
LAW_CHARACTERS: Final = 500
"""Limits for law: units whose blocks may be read, because some presets find forty; blocks of these to read;
and characters of each. Paragraphs of law are long: three take twice the time of four blocks of a website."""

MOST_CHARACTERS: Final = 2_000
"""The beginning of a block is compared: embedding takes time in proportion to the text, and a page may be one
paragraph."""

KEPT: Final = 8_192
"""Vectors in memory, the most recently used."""

GENERAL_SHARE: Final = 0.3
"""Share of the excess to subtract. Measured on six pools (docs/quality.md): up to twice as much does as well,
subtracting all of it is worse."""

LEAST_TEXTS: Final = 8
"""With fewer texts of a language, it is unknown how near texts usually are, and nothing is subtracted."""

log: Final = structlog.get_logger(__name__)


class BlockComparison:
    """Embeds blocks, compares them with questions and keeps their vectors. Thread-safe."""

    def __init__(
        self,
        cache: VectorCache | None = None,
        seconds: float = SECONDS,
        *,
        off_topic: OffTopic | None = None,
    ) -> None:
        """``cache``: keeps vectors beyond this process; without it they are kept in memory alone.
        ``seconds``: how long a question may wait for blocks that are not embedded yet. ``off_topic``: its
        examples represent questions without a subject."""
        self._cache = MemoryVectorCache() if cache is None else cache
        self._off_topic = OffTopic(self._cache) if off_topic is None else off_topic
        self.reader = BlockReader()
        self.seconds = seconds
        self._vectors: LruCache[tuple[str, str], Vectors] = LruCache(KEPT)

    def ordered(
        self,
        hits: Sequence[Hit],
        query: Query,
        meaning: Meaning,
        *,
        preset: QuestionPreset,
        added: Mapping[PageRef, float],
    ) -> tuple[Hit, ...]:
        """Return the hits :meth:`with_relevances`. If the preset's scores can be added to those of blocks,
        they get likelihoods (:meth:`with_likelihoods`) and are sorted by :func:`by_best_block`."""
        found = self.with_relevances(hits, query, meaning, most=preset.compared_blocks, added=added)
        if not preset.orders_by_blocks:
            return found
        ordered = by_best_block(found, query)
        read = self.with_likelihoods(ordered, query, most=preset.read_blocks)
        return ordered if read is ordered else by_best_block(read, query)

    def with_likelihoods(self, hits: tuple[Hit, ...], query: Query, *, most: int) -> tuple[Hit, ...]:
        """Return the hits with the likelihoods of their ``most`` best blocks. Blocks of websites are read
        only if blocks were compared; blocks of law never are, so the best by chunks and words are read."""
        is_law = is_law_best(hits)
        if not most or not (is_law or any(hit.compared_blocks for hit in hits)):
            return hits
        if is_law:
            candidates, most, characters = hits[:LAW_UNITS], min(most, LAW_BLOCKS), LAW_CHARACTERS
        else:
            candidates, characters = hits, None
        blocks = ranked_blocks(query.question, query.question, query.language or "", candidates, most)
        texts = [text[:characters] for text in texts_of(blocks)]
        found = self.reader.likelihoods(query.question, texts)
        if not found:
            return hits
        likelihoods: dict[PageRef, dict[tuple[FieldName, int], float]] = defaultdict(dict)
        for block, answers in zip(blocks, found, strict=True):
            likelihoods[block.page.ref][block.passage.field, block.passage.start] = answers
        return tuple(replace(hit, likelihoods=likelihoods.get(hit.page.ref, {})) for hit in hits)

    def with_relevances(
        self,
        hits: Sequence[Hit],
        query: Query,
        meaning: Meaning,
        *,
        most: int,
        added: Mapping[PageRef, float],
    ) -> tuple[Hit, ...]:
        """Return the hits with the relevance of the ``most`` blocks that seem best by their chunks and words.
        ``added``: amounts to add to the cosines of pages in other languages.

        If the best page is a unit of law, nothing is compared, because that made answers on law worse
        (docs/quality.md).
        """
        if is_law_best(hits):
            return tuple(hits)
        blocks = ranked_blocks(query.question, query.question, query.language or "", hits, most)
        vectors = self.vectors(blocks, meaning.embedder)
        less = self._generality(blocks[: len(vectors)], vectors, meaning.embedder)
        compared: dict[PageRef, list[NearBlock]] = {}
        asked = meaning.towards_passages
        for block, found, general in zip(blocks, vectors, less, strict=False):
            cosine = float(found @ asked) + added.get(block.page.ref, 0.0) - general
            passage, relevance = block.passage, meaning.thresholds.relevance(cosine)
            compared.setdefault(block.page.ref, []).append(
                NearBlock(field=passage.field, start=passage.start, end=passage.end, relevance=relevance)
            )
        return tuple(replace(hit, compared_blocks=tuple(compared.get(hit.page.ref, ()))) for hit in hits)

    def vectors(self, blocks: Sequence[FoundBlock], embedder: Embedder) -> list[Vectors]:
        """Return the vectors of the blocks, up to the first that is neither known nor embedded in time."""
        return self.embedded(texts_of(blocks), embedder)

    def embedded(self, texts: Sequence[str], embedder: Embedder) -> list[Vectors]:
        """Return the vectors of the texts, each of shape ``(dims,)``; only of the first ones if time runs out
        or the embedder fails."""
        recipe = recipe_hash(embedder_recipe(embedder))
        known = self._known(recipe, texts)
        missing = [text for text in texts if text not in known]
        if missing:
            by_hash = {text_hash(text): text for text in missing}
            stored = CachedEmbedder(embedder, self._cache).known(list(by_hash))
            known |= {by_hash[key]: vector for key, vector in stored.items()}
            fresh = self._fresh([text for text in missing if text not in known], embedder)
            self._cache.put(recipe, {text_hash(text): vector for text, vector in fresh.items()})
            known |= fresh
        for text in missing:
            if text in known:
                self._vectors.put((recipe, text), known[text], 1)
        return [known[text] for text in takewhile(known.__contains__, texts)]

    def _fresh(self, texts: Sequence[str], embedder: Embedder) -> dict[str, Vectors]:
        """Embed the texts until time runs out."""
        found: dict[str, Vectors] = {}
        until = monotonic() + self.seconds
        for start in range(0, len(texts), BATCH):
            batch = texts[start : start + BATCH]
            if monotonic() > until:
                break
            try:
                found |= zip(batch, embedder.embed_documents(batch), strict=True)
            except (EmbedderUnavailableError, PluginError) as error:
                log.warning("blocks_not_compared", message=str(error))
                break
        return found

    def _generality(
        self, blocks: Sequence[FoundBlock], vectors: Sequence[Vectors], embedder: Embedder
    ) -> list[float]:
        """Return the amount to subtract from each block's cosine for being near every question; 0 without the
        examples, or if there are few blocks."""
        if len(vectors) < LEAST_TEXTS:
            return [0.0] * len(vectors)
        try:
            mean = self._off_topic.mean(embedder)
        except (EmbedderUnavailableError, PageStoreUnavailableError, PluginError) as error:
            log.warning("generality_unknown", message=str(error))
            return [0.0] * len(vectors)
        nearness = [float(vector @ mean) for vector in vectors]
        return generality(nearness, [block.page.ref.language for block in blocks])

    def _known(self, recipe: str, texts: Sequence[str]) -> dict[str, Vectors]:
        kept = ((text, self._vectors.get((recipe, text))) for text in texts)
        return {text: vector for text, vector in kept if vector is not None}


def by_best_block(hits: Sequence[Hit], query: Query) -> tuple[Hit, ...]:
    """Rank the hits by the sum of their own and their best block's score, because a page may be about the
    subject without answering. Hits keep their order if no blocks were compared, or if some are law."""
    if not any(hit.compared_blocks for hit in hits) or any(hit.page.is_law for hit in hits):
        return tuple(hits)
    blocks = best_scores(query.question, query.language or "", hits)
    scored = sorted(zip(hits, blocks, strict=True), key=lambda each: -(each[0].score + each[1]))
    return tuple(replace(hit, rank=rank) for rank, (hit, _) in enumerate(scored, start=1))


def texts_of(blocks: Sequence[FoundBlock]) -> list[str]:
    """Return the text of each block that is embedded and read (:func:`block_text`)."""
    return [block_text(block.page.title, block.headings, block.markdown) for block in blocks]


def block_text(title: str, headings: Sequence[str], markdown: str) -> str:
    """Return the beginning of a block's Markdown, below a line of its page's title and headings."""
    return f"{context_line((title, *headings))}\n{markdown[:MOST_CHARACTERS]}"


def generality(nearness: Sequence[float], languages: Sequence[str]) -> list[float]:
    """Return the amount to subtract from each text's cosine with a question: ``GENERAL_SHARE`` of how much
    nearer it is to any question than the average text of its language; negative if it is farther.

    ``nearness``: the texts' cosines with the mean of off-topic examples; ``languages``: the texts'.
    """
    by_language: dict[str, list[float]] = defaultdict(list)
    for near, language in zip(nearness, languages, strict=True):
        by_language[language].append(near)
    usual = {language: fmean(found) for language, found in by_language.items() if len(found) >= LEAST_TEXTS}
    return [
        GENERAL_SHARE * (near - usual[language]) if language in usual else 0.0
        for near, language in zip(nearness, languages, strict=True)
    ]

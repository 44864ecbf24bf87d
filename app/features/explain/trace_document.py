"""The JSON documents of a question's way and of why a page is not in its answer. Pure functions."""

from collections.abc import Mapping, Sequence
from typing import Any, Final

from app.api.page_documents import PageDetailsDocument, PageRefDocument
from app.chat.context import page_tokens
from app.chat.documents import AnswerDocument, is_editors_text, source_documents
from app.chat.steps import QuestionRephrased
from app.chat.text.render import renderer_of
from app.document import timestamp
from app.features.explain.search_trace import RankedPage, SearchTrace, words_missing
from app.features.explain.trace import QuestionTrace
from app.features.explain.weighing import Rival, WeighedPage
from app.features.explain.why_not import WhyNot
from app.features.explain.why_not_texts import cause_sentence, remedy_sentence
from app.presets import Thresholds
from app.search.blocks import FoundBlock
from app.search.chunk_ranking import ScoredChunk
from app.search.translations import in_one
from app.search.types import Candidate, ChunkHit, IndexedPage, NearChunk, Passage
from ingest.types import FieldName, PageRef

Document = dict[str, Any]

CHUNKS: Final = 3
"""Of each field of a page, at most."""

EXCERPT_CHARACTERS: Final = 300
BLOCKS: Final = 50
DIGITS: Final = 4


def trace_document(trace: QuestionTrace, why: WhyNot | None = None, language: str = "en") -> Document:
    """The whole way of a question, and ``why_not`` if a page was asked about. ``language``: of the sentences
    in it."""
    sources = source_documents(trace.question, trace.done)
    answer = AnswerDocument.of(trace.question, trace.done, sources).to_json()
    html = renderer_of(sources, all_links=is_editors_text(answer.get("curated"))).render(trace.done.answer)
    document = {
        "question": trace.question,
        "answer": answer | {"html": html},
        "sources": sorted(trace.sources),
        "rephrased": None if trace.rephrased is None else _rephrased(trace.rephrased),
        "translations": [
            {"language": each.language, "question": each.text, "accepted": each.accepted}
            for each in trace.translated
        ],
        "looked_up": [page_document(hit.page) for hit in trace.looked_up.hits] if trace.looked_up else [],
        "searches": list(map(_search, trace.searches)),
        "found": _found(trace),
        "refused": trace.refused.reason if trace.refused else None,
        "second_search": trace.wanted,
        "read": _read(trace),
        "blocks": _blocks(trace),
        "prompt": [{"role": each.role, "content": each.content} for each in trace.messages],
        "steps": [
            {"step": type(each.step).__name__, "seconds": round(each.seconds, 5)} for each in trace.steps
        ],
        "seconds": round(trace.seconds, 5),
    }
    return document if why is None else document | {"why_not": why_not_document(why, language)}


def page_document(page: IndexedPage) -> Document:
    """Which page it is."""
    ref = PageRefDocument.model_validate(page.ref).to_json()
    return ref | {
        "url": page.url,
        "title": page.title,
        "updated": timestamp(page.updated) if page.updated else None,
    }


def why_not_document(why: WhyNot, language: str = "en") -> Document:
    """Why a page is not in the answer, with its sentences in ``language``."""
    return {
        "name": why.name,
        "page": None if why.page is None else PageRefDocument.model_validate(why.page).to_json(),
        "cause": why.cause,
        "sentence": cause_sentence(why.cause, language),
        "number": why.number,
        "is_older_version": why.is_older_version,
        "state": None if why.details is None else PageDetailsDocument.of(why.details).to_json(),
        "weighed": None if why.weighed is None else _weighed(why.weighed),
        "remedies": [
            {
                "code": remedy.code,
                "values": dict(remedy.values),
                "sentence": remedy_sentence(remedy, language),
            }
            for remedy in why.remedies
        ],
    }


def _rephrased(step: QuestionRephrased) -> Document:
    made = step.rephrased
    return {
        "question": made.question if made else None,
        "keywords": list(made.keywords) if made else [],
        "rejected": step.rejected,
    }


def _search(search: SearchTrace) -> Document:
    query, retrieval, judged = search.query, search.retrieval, search.judged
    return {
        "asked": search.asked,
        "question": query.question,
        "language": query.language,
        "corrections": [
            {"word": each.word, "spelt": each.spelt, "compound": each.is_compound}
            for each in search.corrections
        ],
        "words": list(query.words),
        "translations": {language: list(in_one(words)) for language, words in search.translations.items()},
        "keywords": list(query.keywords),
        "preset": search.preset.name,
        "ranking": search.preset.question.ranking,
        "generation": search.generation.number if search.generation else None,
        "mode": retrieval.mode if retrieval else None,
        "degraded": list(retrieval.degraded) if retrieval else [],
        "thresholds": search.thresholds.model_dump(exclude={"measured"}) if search.thresholds else None,
        "minimum_coverage": search.preset.question.minimum_coverage,
        "limit": query.limit,
        "arms": dict(search.spec.k) if search.spec else {},
        "pages": [_page(page, search) for page in search.pages],
        "chunks": list(map(_ranked_chunk, search.chunks)),
        "by_words": [
            {
                "mode": matched.mode,
                "words": list(matched.spec.words),
                "pages": [
                    page_document(each.page) | {"coverage": _rounded(each.coverage)}
                    for each in matched.candidates
                ],
            }
            for matched in search.matched
        ],
        "reranked": [_rounded(score) for score in search.reranked],
        "certainty": None
        if judged is None
        else {
            "score": _rounded(judged.score),
            "off_topic": None if judged.off_topic is None else _rounded(judged.off_topic),
            "threshold": judged.threshold,
            "certainty": judged.certainty,
        },
    }


def _page(page: RankedPage, search: SearchTrace) -> Document:
    candidate = page.candidate
    return page_document(candidate.page) | {
        "passed": page.is_qualified,
        "place": page.place,
        "rank": page.rank,
        "score": None if page.score is None else _rounded(page.score),
        "parts": _rounded_values(page.parts),
        "ranks": dict(page.ranks),
        "coverage": _rounded(candidate.coverage),
        "words_missing": list(words_missing(candidate.page, search.query.all_words, search)),
        "fields": _fields(candidate, search.thresholds),
    }


def _fields(candidate: Candidate, thresholds: Thresholds | None) -> Document:
    return {
        name: _field(name, chunks, candidate, thresholds)
        for name, chunks in candidate.chunks.items()
        if chunks
    }


def _field(
    name: FieldName, chunks: Sequence[ChunkHit], candidate: Candidate, thresholds: Thresholds | None
) -> Document:
    data = candidate.page.fields.get(name, "").encode()
    added = candidate.added.get(name, 0.0)
    return {
        "similarity": _rounded(chunks[0].cosine),
        "added": _rounded(added),
        "relevance": _rounded(thresholds.relevance(chunks[0].cosine + added)) if thresholds else None,
        "threshold": getattr(thresholds, name) if thresholds else None,
        "passed": thresholds.passes(name, chunks[0].cosine) if thresholds else None,
        "chunks": [
            {
                "position": chunk.position,
                "start": chunk.start,
                "end": chunk.end,
                "similarity": _rounded(chunk.cosine),
                "text": _excerpt(data[chunk.start : chunk.end].decode(errors="ignore")),
            }
            for chunk in chunks[:CHUNKS]
        ],
    }


def _ranked_chunk(scored: ScoredChunk) -> Document:
    chunk = scored.chunk
    text = chunk.page.fields["content"].encode()[chunk.start : chunk.end].decode(errors="ignore")
    return page_document(chunk.page) | {
        "position": chunk.position,
        "start": chunk.start,
        "end": chunk.end,
        "score": _rounded(scored.score, 6),
        "similarity": None if chunk.cosine is None else _rounded(chunk.cosine),
        "ranks": {name: rank for name, rank in (("content", chunk.near), ("words", chunk.matching)) if rank},
        "text": _excerpt(text),
    }


def _found(trace: QuestionTrace) -> Document | None:
    """The pages of all searches together, with their passages."""
    found = trace.found
    if found is None:
        return None
    return {
        "question": found.question,
        "mode": found.mode,
        "degraded": list(found.degraded),
        "certainty": found.certainty,
        "relevance": None if found.relevance is None else _rounded(found.relevance),
        "hits": [
            page_document(hit.page)
            | {
                "rank": hit.rank,
                "score": _rounded(hit.score),
                "passages": list(map(_passage, hit.passages)),
                "near": list(map(_near, hit.near)),
                "linked": [page_document(each.page) | {"link": each.link} for each in hit.linked],
            }
            for hit in found.hits
        ],
        "offered": [page_document(hit.page) for hit in found.keyword_hits],
    }


def _passage(passage: Passage) -> Document:
    return {"field": passage.field, "start": passage.start, "end": passage.end, "text": passage.text}


def _near(chunk: NearChunk) -> Document:
    return {"start": chunk.start, "end": chunk.end, "relevance": _rounded(chunk.relevance)}


def _read(trace: QuestionTrace) -> Document | None:
    """What was read of each page, and what of it the budget cut."""
    context = trace.context
    if context is None:
        return None
    return {
        "budget_tokens": trace.budget_tokens,
        "tokens": sum(page_tokens(source.page, source.text) for source in context.used),
        "whole_site": context.is_corpus,
        "sources": [
            page_document(source.page)
            | {
                "number": source.number,
                "used": source.used,
                "earlier": source.earlier,
                "text": source.text,
                "characters": len(source.text),
                "tokens": page_tokens(source.page, source.text) if source.used else 0,
                "page_characters": len(source.page.fields.get("content", "")),
                "passages": [
                    {"field": passage.field, "start": passage.start, "end": passage.end}
                    for passage in source.passages
                ],
            }
            for source in context.sources
        ],
    }


def _blocks(trace: QuestionTrace) -> list[Document]:
    """The best blocks of all pages found, and whether each was read."""
    if trace.context is None:
        return []
    texts = {source.page.ref: source.text for source in trace.context.used}
    return [_block(block, texts) for block in trace.context.blocks[:BLOCKS]]


def _block(block: FoundBlock, texts: Mapping[PageRef, str]) -> Document:
    return page_document(block.page) | {
        "kind": block.kind,
        "headings": list(block.headings),
        "score": _rounded(block.score),
        "start": block.passage.start,
        "end": block.passage.end,
        "characters": len(block.markdown),
        "read": block.passage.text.strip() in texts.get(block.page.ref, ""),
        "text": _excerpt(block.markdown),
    }


def _weighed(weighed: WeighedPage) -> Document:
    candidate = weighed.candidate
    return page_document(candidate.page) | {
        "search": weighed.search,
        "was_candidate": weighed.was_candidate,
        "passed": weighed.is_qualified,
        "place": weighed.place,
        "limit": weighed.limit,
        "score": _rounded(weighed.score),
        "parts": _rounded_values(weighed.parts),
        "coverage": _rounded(candidate.coverage),
        "fields": _fields(candidate, weighed.thresholds),
        "words_missing": list(weighed.words_missing),
        "words_not_in_headings": list(weighed.words_not_in_headings),
        "beaten_by": list(map(_rival, weighed.rivals)),
    }


def _rival(rival: Rival) -> Document:
    return page_document(rival.page) | {
        "place": rival.place,
        "score": _rounded(rival.score),
        "ahead": _rounded_values(rival.ahead),
        "strongest": rival.strongest,
        "newer": rival.newer,
    }


def _rounded_values(values: Mapping[str, float]) -> dict[str, float]:
    return {name: _rounded(value) for name, value in values.items()}


def _rounded(value: float, digits: int = DIGITS) -> float:
    return round(float(value), digits)


def _excerpt(text: str) -> str:
    line = " ".join(text.split())
    return line if len(line) <= EXCERPT_CHARACTERS else f"{line[:EXCERPT_CHARACTERS].rstrip()}…"

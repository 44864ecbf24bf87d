"""The pools that come with the repository."""

import json
from collections import Counter
from datetime import date
from functools import cache
from pathlib import Path
from typing import Final

import pytest

from app.features.evaluation.pool import GoldUnit
from app.features.evaluation.pool_file import load_pool, load_spans
from app.features.evaluation.words import markdown_words, words
from benchmarks.law_parse import NAME
from ingest.converters.markdown import MarkdownConverter
from ingest.law.pages import pages
from ingest.law.parse import parse
from tests.shared import LAW, needs

POOLS: Final = Path(__file__).parents[4] / "benchmarks" / "pools"
REFUSALS: Final = POOLS / "refusals.jsonl"
LAW_SPANS: Final = POOLS / "law-spans.jsonl"
LAW_QUESTIONS: Final = LAW / "questions.jsonl"
LONGEST_MUST: Final = 40


def documents(path: Path) -> list[dict[str, object]]:
    return [json.loads(line) for line in path.read_text("utf-8").splitlines()]


def test_what_must_be_refused_is_half_for_calibration_in_every_kind_and_language() -> None:
    lines = documents(REFUSALS)
    assert not any(question.answerable for question in load_pool(REFUSALS))
    assert len({line["question"] for line in lines}) == len({line["id"] for line in lines}) == 60
    counted = Counter((line["kind"], line["language"], line["split"]) for line in lines)
    assert counted == {
        (kind, language, split): count
        for kind, count in (("off-topic", 10), ("nonsense", 5))
        for language in ("de", "en")
        for split in ("tune", "report")
    }


def test_spans_of_law_are_given_without_its_text() -> None:
    lines = documents(LAW_SPANS)
    assert len(lines) >= 60
    for line in lines:
        assert set(line) <= {"id", "spans", "must"}
        assert all("text" not in span for span in line["spans"])  # type: ignore[attr-defined]
        assert all(len(part) <= LONGEST_MUST for part in line.get("must", ()))  # type: ignore[attr-defined]


@needs(LAW)
def test_spans_of_law_are_of_units_that_answer_the_question() -> None:
    questions = load_spans(LAW_SPANS, load_pool(LAW_QUESTIONS))
    assert {line["id"] for line in documents(LAW_SPANS)} <= {question.id for question in questions}
    for question in questions:
        units = {(gold.celex, gold.unit) for gold in question.gold if isinstance(gold, GoldUnit)}
        assert {(span.celex, span.unit.partition(".")[0]) for span in question.law_spans} <= units, (
            question.id
        )


@needs(LAW)
@pytest.mark.slow
def test_spans_of_law_begin_and_end_with_words_and_hold_what_they_must() -> None:
    for question in load_spans(LAW_SPANS, load_pool(LAW_QUESTIONS)):
        for span in question.law_spans:
            text = contents(span.celex, span.version, span.language)[span.page]
            before, found, after = text[: span.start], text[span.start : span.end], text[span.end :]
            assert found == found.strip(), (question.id, found)
            assert len(found) == span.end - span.start
            assert not (before[-1:].isalnum() and found[0].isalnum()), (question.id, found)
            assert not (found[-1].isalnum() and after[:1].isalnum()), (question.id, found)
        if question.must:
            texts = [contents(s.celex, s.version, s.language)[s.page] for s in question.law_spans]
            held = [all(markdown_words(text).holds(words(part)) for part in question.must) for text in texts]
            assert any(held), question.id


@cache
def contents(celex: str, version: date, language: str) -> dict[str, str]:
    """The Markdown of an act's pages by id, as the index serves it."""
    [file] = [
        file
        for file in LAW.glob(f"{celex}_*")
        if (name := NAME.fullmatch(file.name))
        and (name["celex"], name["version"], name["language"]) == (celex, version.isoformat(), language)
    ]
    act = parse(file.read_text("utf-8"), celex=celex, language=language, version=version)
    converter = MarkdownConverter()
    return {
        page.ref.id: converter.convert(page.fields["content"], page.url)
        for page in pages(act, source="eurlex")
        if "content" in page.fields
    }

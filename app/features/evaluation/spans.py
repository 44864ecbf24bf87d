"""Gold spans: the places of a question's answer, word for word, and the parts of a complete answer."""

from collections.abc import Mapping
from datetime import date
from typing import Annotated, Literal, Self

from pydantic import AfterValidator, BaseModel, ConfigDict, Discriminator, Field, Tag, model_validator

from app.features.evaluation.words import Words, words
from ingest.law.pages import page_id


def _with_words(text: str) -> str:
    if not words(text):
        raise ValueError("without a letter or digit: quote what a page says")
    return text


GoldText = Annotated[str, AfterValidator(_with_words)]


AnswerGrade = Literal["good", "ok", "bad"]
"""``good``: the answer is complete, and a part of it comes first; ``ok``: it is complete; ``bad``: it is
incomplete, or another case comes first."""


class PageSpan(BaseModel):
    """A piece of the text of ``page`` (its id). ``partial``: it is not the whole answer."""

    model_config = ConfigDict(extra="ignore", frozen=True)

    page: str = Field(min_length=1)
    text: GoldText
    partial: bool = False


class LawSpan(BaseModel):
    """A piece of a unit of law, in one version and language of its act. Its text is looked up: the characters
    from ``start`` to ``end`` of the unit's Markdown."""

    model_config = ConfigDict(extra="ignore", frozen=True)

    celex: str = Field(min_length=1)
    unit: str = Field(min_length=1)
    version: date
    language: str = Field(min_length=1)
    start: int = Field(ge=0)
    end: int
    partial: bool = False

    @model_validator(mode="after")
    def _is_forward(self) -> Self:
        if self.end <= self.start:
            raise ValueError(f"end {self.end} is not after start {self.start}")
        return self

    @property
    def page(self) -> str:
        """The id of the unit's page."""
        return page_id(self.celex, self.version, self.unit)


def _is_of_law(span: object) -> bool:
    return isinstance(span, LawSpan) or (isinstance(span, dict) and "unit" in span)


GoldSpan = Annotated[
    Annotated[PageSpan, Tag("page")] | Annotated[LawSpan, Tag("unit")],
    Discriminator(lambda span: "unit" if _is_of_law(span) else "page"),
]


class GoldAnswer(BaseModel):
    """The gold answer to a question.

    ``spans``: any whole one is the answer. ``must``: texts that a complete answer contains; ``must_by_page``:
    the same in the words of each page, if they differ; ``also``: alternative lists. ``must_not``: texts that
    belong to another case or subject.
    """

    model_config = ConfigDict(extra="ignore", frozen=True)

    spans: tuple[GoldSpan, ...] = ()
    must: tuple[GoldText, ...] = ()
    must_by_page: Mapping[str, tuple[GoldText, ...]] = {}
    also: tuple[tuple[GoldText, ...], ...] = ()
    must_not: tuple[GoldText, ...] = ()

    @property
    def law_spans(self) -> tuple[LawSpan, ...]:
        """The spans whose text is not known yet."""
        return tuple(span for span in self.spans if isinstance(span, LawSpan))

    @property
    def has_text(self) -> bool:
        """True if the gold answer's text is known, so that other texts can be checked for it."""
        return bool(self._whole_spans or self._lists)

    def is_in(self, text: Words) -> bool:
        """Return True if the text contains a whole span, or everything that a complete answer must."""
        if any(text.holds(words(span)) for span in self._whole_spans):
            return True
        return any(all(text.holds(words(part)) for part in parts) for parts in self._lists)

    def grade(self, first: Words, whole: Words) -> AnswerGrade:
        """Grade an answer by its ``first`` block and the ``whole`` of it. The first block counts, because
        people take what they see first for the answer."""
        lists = self._lists or [(span,) for span in self._whole_spans]
        parts = [words(part) for part in dict.fromkeys(part for parts in lists for part in parts)]
        is_led = any(map(first.holds, parts))
        if not is_led and any(first.holds(words(text)) for text in self.must_not):
            return "bad"
        if not any(all(whole.holds(words(part)) for part in parts) for parts in lists):
            return "bad"
        spans = (words(span.text) for span in self.spans if isinstance(span, PageSpan))
        return "good" if is_led or any(map(first.holds, spans)) else "ok"

    @property
    def _whole_spans(self) -> list[str]:
        return [span.text for span in self.spans if isinstance(span, PageSpan) and not span.partial]

    @property
    def _lists(self) -> list[tuple[str, ...]]:
        return [parts for parts in (self.must, *self.must_by_page.values(), *self.also) if parts]


def looked_up(spans: tuple[GoldSpan, ...], texts: Mapping[LawSpan, str]) -> tuple[GoldSpan, ...]:
    """Return the spans, with the ``texts`` of spans of law; the ones without a text are left out."""
    found: list[GoldSpan] = []
    for span in spans:
        if isinstance(span, PageSpan):
            found.append(span)
        elif text := texts.get(span):
            found.append(PageSpan(page=span.page, text=text, partial=span.partial))
    return tuple(found)

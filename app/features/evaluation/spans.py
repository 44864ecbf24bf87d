"""Gold spans: where the answer to a question stands, word for word, and what a complete answer holds."""

from collections.abc import Mapping
from datetime import date
from typing import Annotated, Literal, Self

from pydantic import AfterValidator, BaseModel, ConfigDict, Discriminator, Field, Tag, model_validator

from app.features.evaluation.words import Words, words
from ingest.law.pages import page_id


def _with_words(text: str) -> str:
    if not words(text):
        raise ValueError("without a letter or digit: write what a page says")
    return text


GoldText = Annotated[str, AfterValidator(_with_words)]


Grade = Literal["good", "ok", "bad"]
"""``good``: the answer is complete, and a part of it comes first; ``ok``: it is complete; ``bad``: it is not,
or another case comes first."""


class PageSpan(BaseModel):
    """A piece of the text of ``page`` (its id). ``partial``: it is not the whole answer."""

    model_config = ConfigDict(extra="ignore", frozen=True)

    page: str = Field(min_length=1)
    text: GoldText
    partial: bool = False


class LawSpan(BaseModel):
    """A piece of a unit of law, in one version and language of its act, without its text: the characters
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
    """Where the answer stands.

    ``spans``: any whole one is the answer. ``must``: what a complete answer holds; ``must_by_page``: the
    same in the words of each page, where they differ; ``also``: other lists that count instead. ``must_not``:
    what belongs to another case or subject.
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
        """True if a text can be found to hold the answer or not."""
        return bool(self._whole_spans or self._lists)

    def is_in(self, text: Words) -> bool:
        """True if the text holds a whole span, or everything that a complete answer must."""
        if any(text.holds(words(span)) for span in self._whole_spans):
            return True
        return any(all(text.holds(words(part)) for part in parts) for parts in self._lists)

    def grade(self, first: Words, whole: Words) -> Grade:
        """Grade an answer by its ``first`` block and the ``whole`` of it, as people read it: what they see
        first is what they take for the answer."""
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
    """The spans, those of law with their ``texts``; without those that have none."""
    found: list[GoldSpan] = []
    for span in spans:
        if isinstance(span, PageSpan):
            found.append(span)
        elif text := texts.get(span):
            found.append(PageSpan(page=span.page, text=text, partial=span.partial))
    return tuple(found)

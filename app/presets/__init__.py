"""Presets: how pages are chunked (``[index]``, per source) and how questions are answered (``[question]``).

They are TOML files, next to this module and in an operator's folder (:mod:`app.presets.collection`). Cosine
thresholds and ``base`` (the cosine of unrelated text) depend on the model, so every preset has them for each
embedder. A preset that chooses pages without thresholds also has a table ``*``, for all other embedders.
"""

import json
import re
from collections.abc import Iterable, Mapping
from functools import lru_cache
from typing import Annotated, Final, Literal

from pydantic import BaseModel, BeforeValidator, ConfigDict, Field, ValidationError, field_validator

from app.errors import SettingsError
from ingest.options import table_name
from ingest.protocols import Recipe
from ingest.types import FieldName

KeywordMode = Literal["none", "any", "all"]
"""The keyword clause: none, pages with any of the words, or pages with all of them."""

Purpose = Literal["answer", "law"]
"""The prompt for the answer: for pages of a website, or for acts of law."""

Context = Literal["passages", "blocks"]
"""The model's context: chunks around the hits, page after page, or the best blocks of all pages."""

ListedSources = Literal["cited", "used"]
"""The sources listed below an answer: those that it cites; or all that the model was given, and those that
were cut, with their cosines."""

Ranking = Literal["relevance_sum", "clause_sum", "cosine", "reciprocal_rank"]
ANY_EMBEDDER: Final = "*"
ThresholdName = Literal[
    "base",
    "content",
    "title",
    "description",
    "name",
    "keywords",
    "answer",
    "carrying",
    "explained",
    "same",
    "same_compound",
]


MAX_PAGES: Final = 1_000
"""Maximum number of pages of one search."""


def _none(value: object) -> object:
    return None if value == "none" else value


class _Strict(BaseModel):
    model_config = ConfigDict(extra="forbid", frozen=True, strict=True, allow_inf_nan=False)


class IndexPreset(_Strict):
    """The chunking of pages: the chunker's name and ``options``.

    * ``context_line``: embed chunks with their context line
    * ``contexts``: also embed them with a context that a language model writes
    * ``chunk_words``: index the words of each chunk, for questions that rank chunks
    """

    chunker: str
    context_line: bool
    contexts: bool = False
    chunk_words: bool = False
    options: dict[str, int] = {}


class LinksPreset(_Strict):
    """Pages to which hits in law refer, added to the model's context: those of the first ``hits``, at most
    ``pages`` for each, at most ``bytes`` of each page. ``share``: the share of the budget reserved for
    them."""

    hits: int = Field(gt=0, le=MAX_PAGES)
    pages: int = Field(gt=0, le=MAX_PAGES)
    bytes: int = Field(gt=0)
    share: float = Field(gt=0, lt=1)


class ChunksPreset(_Strict):
    """Ranking of chunks instead of pages: ``candidates`` by vectors and as many by words are merged into one
    list by rank, with weight ``words`` for words; the best ``limit`` go into the model's context.
    ``contexts``: add the contexts that a model wrote for them, separated from their text."""

    candidates: int = Field(gt=0, le=MAX_PAGES)
    words: float = Field(ge=0)
    limit: int = Field(gt=0, le=MAX_PAGES)
    contexts: bool = False


class RerankPreset(_Strict):
    """Reranking: the installation's reranker orders the best ``candidates`` of the pages found. There are at
    most as many as the arms return (``k``)."""

    candidates: int = Field(default=150, gt=0, le=MAX_PAGES)


class QuestionPreset(_Strict):
    """The way a question is searched and answered.

    A file that extends another one drops a clause with 0, and the links with ``"none"``.

    * ``k``: pages per kNN clause; ``limit``: pages in the result
    * ``rephrase``: rephrase a question even without a conversation
    * ``expand``: make rephrased questions more detailed
    * ``extract``: the call that rephrases also returns keywords and the time in question
    * ``translate``: also search for the model's translations of the question into the languages of the pages,
      and for translations of its words learned from pages
    * ``keep_original``: keep the results of the original question next to those of the rephrased one
    * ``chunks``: rank chunks instead of pages
    * ``page_bytes``: how much of a page the model gets, at most; if there is more around its hits, fewer
      neighbours are included
    * ``corpus_tokens``: a site of at most this many tokens goes into the model's context as a whole, if there
      is room
    * ``remembered_pages``: how many pages cited by earlier answers of the conversation go into the context
      again, at most
    * ``second_search``: the model may ask for one more search before it answers
    * ``prompt``: the prompt if both pages of a website and law are found; otherwise the kind found decides
    * ``cut_in_index``: the index already drops pages below a field's threshold; a hybrid preset needs low
      cosines too
    * ``compared_blocks``: how many blocks of the pages found are embedded and compared with the question;
      each page's best block decides its place
    * ``read_blocks``: how many of the best of these, or of units of law, the reader (a cross-encoder) scores
      together with the question
    """

    rephrase: bool
    expand: bool = False
    extract: bool = False
    translate: bool = False
    keep_original: bool = True
    prompt: Purpose = "answer"
    context: Context = "passages"
    listed_sources: ListedSources = "cited"
    ranking: Ranking
    keyword: KeywordMode
    cut_in_index: bool
    limit: int = Field(gt=0, le=MAX_PAGES)
    compared_blocks: int = Field(default=0, ge=0, le=1_000)
    read_blocks: int = Field(default=0, ge=0, le=100)
    minimum_coverage: float = Field(ge=0)
    expansion_chunks: int = Field(ge=0, le=100)
    page_bytes: int | None = Field(default=None, gt=0)
    budget_tokens: int = Field(gt=0)
    links: Annotated[LinksPreset | None, BeforeValidator(_none)] = None
    chunks: Annotated[ChunksPreset | None, BeforeValidator(_none)] = None
    rerank: Annotated[RerankPreset | None, BeforeValidator(_none)] = None
    corpus_tokens: int = Field(default=0, ge=0)
    remembered_pages: int = Field(default=0, ge=0, le=MAX_PAGES)
    second_search: bool = False
    k: dict[FieldName, Annotated[int, Field(ge=0, le=MAX_PAGES)]]

    @property
    def orders_by_blocks(self) -> bool:
        """True if the scores of pages and blocks can be added, and no reranker orders the pages."""
        return self.ranking == "relevance_sum" and self.rerank is None and self.chunks is None

    @field_validator("k")
    @classmethod
    def _has_clauses(cls, k: dict[FieldName, int]) -> dict[FieldName, int]:
        used = {field: pages for field, pages in k.items() if pages}
        if not used:
            raise ValueError("set at least one field, such as content = 20")
        return used


class Thresholds(_Strict):
    """Raw cosines for one embedder: that of unrelated text (``base``), and each field's threshold.

    ``answer``: nothing is shown as an answer if the best page's score is below this; only for presets that
    rank by relevance.

    The others are relevances (:meth:`relevance`) for words that no page has
    (:mod:`app.search.absent_words`); their defaults were measured with e5:

    * ``carrying``: a word carries a question if the relevance of the question without it to the whole is at
      most this
    * ``explained``: the blocks do not express a word if, without the word, the best block loses at most this
      share of the relevance that the question loses
    * ``same``: two words mean the same from this relevance up
    * ``same_compound``: the same for compounds with a common part, which are similar whatever they mean
      ("Grundsteuer" is not "Hundesteuer")
    """

    base: float
    name: float
    title: float
    description: float
    keywords: float
    content: float
    answer: float = 0.0
    carrying: float = 0.89
    explained: float = 0.25
    same: float = 0.66
    same_compound: float = 0.84

    def by_field(self, fields: Iterable[FieldName]) -> dict[FieldName, float]:
        """Return the thresholds of ``fields``."""
        return {field: getattr(self, field) for field in fields}

    def relevance(self, cosine: float) -> float:
        """Convert a cosine to a relevance: 1 for equal text, 0 for unrelated text, negative below
        ``base``."""
        return (cosine - self.base) / (1 - self.base)

    def cosine(self, relevance: float) -> float:
        """Convert a relevance to a cosine."""
        return self.base + relevance * (1 - self.base)

    def passes(self, field: FieldName, cosine: float) -> bool:
        """Return True if the field's cosine reaches its threshold."""
        return cosine >= self._threshold(field)

    def nearer_than_content(self, field: FieldName) -> float:
        """Return by how much the field's threshold exceeds that of the content."""
        return self._threshold(field) - self.content

    def _threshold(self, field: FieldName) -> float:
        threshold: float = getattr(self, field)
        return threshold


class EmbedderThresholds(Thresholds):
    """A preset's thresholds for one embedder. ``measured``: True if measured on pages and questions, as
    `auskunft calibrate` does; otherwise they are estimated from the model's known properties."""

    base: float = Field(ge=-1, lt=1)
    measured: bool = True


_REQUIRED: Final = [name for name, field in EmbedderThresholds.model_fields.items() if field.is_required()]


class Preset(_Strict):
    """One preset. ``description``: one sentence for people."""

    name: str
    description: str = Field(default="", max_length=200, pattern=r"^[^\n\r]*$")
    index: IndexPreset
    question: QuestionPreset
    embedders: dict[str, EmbedderThresholds]

    @field_validator("embedders")
    @classmethod
    def _are_looked_up(cls, tables: dict[str, EmbedderThresholds]) -> dict[str, EmbedderThresholds]:
        for key in tables:
            if key not in (ANY_EMBEDDER, own := model_key(key)):
                raise ValueError(f"write {key!r} as {own!r}, the last part of the model's name")
        return tables

    def thresholds(self, embedder: Recipe) -> Thresholds:
        """Return the thresholds of the embedder's model or name, otherwise those for any embedder. Raises
        ``SettingsError`` if there are none."""
        keys = threshold_keys(embedder)
        found = next((self.embedders[key] for key in [*keys, ANY_EMBEDDER] if key in self.embedders), None)
        if found is None:
            raise SettingsError(
                "preset {name!r} has no thresholds for {key!r}: add its cosines in a table "
                "[thresholds.{table}] with {values} in auskunft.toml",
                name=self.name,
                key=keys[0],
                table=toml_key(keys[0]),
                values=", ".join(_REQUIRED),
            )
        return found

    def with_thresholds(self, tables: Mapping[str, Mapping[ThresholdName, float]]) -> "Preset":
        """Return the preset with its thresholds overridden by ``tables``; keys are as in ``threshold_keys``.

        Raises ``SettingsError`` if a table is new and lacks a value.
        """
        embedders = dict(self.embedders)
        for key, given in tables.items():
            own = embedders[key].model_dump() if key in embedders else {}
            values = own | {str(name): value for name, value in given.items()}
            if missing := [name for name in _REQUIRED if name not in values]:
                raise SettingsError(f"setting 'thresholds.{key}' is incomplete: add {', '.join(missing)}")
            try:
                embedders[key] = EmbedderThresholds.model_validate(values)
            except ValidationError as error:
                first = error.errors()[0]
                raise SettingsError(
                    f"setting 'thresholds.{key}.{first['loc'][0]}': {first['msg'].lower()}"
                ) from None
        return self.model_copy(update={"embedders": embedders})


def threshold_keys(embedder: Recipe) -> list[str]:
    """Return the keys by which thresholds are looked up: the model's name, if the recipe has one, and the
    embedder's. ``BAAI/bge-m3`` and ``bge-m3:latest`` both have the key ``bge-m3``, whatever runs them."""
    return list(_keys(str(embedder["name"]), str(embedder.get("model", ""))))


@lru_cache
def _keys(name: str, model: str) -> tuple[str, ...]:
    return tuple(key for key in (model_key(model), table_name(name)) if key)


def model_key(model: str) -> str:
    """Return the key of a model's thresholds: its name without owner and version."""
    return table_name(model.rpartition("/")[2].partition(":")[0])


def toml_key(key: str) -> str:
    """Return the key as TOML writes it, in quotes if it needs them."""
    return key if re.fullmatch(r"[\w-]+", key, re.ASCII) else json.dumps(key)

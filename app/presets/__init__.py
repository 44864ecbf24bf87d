"""Presets: how pages are cut (``[index]``, per source) and how questions are answered (``[question]``).

They are TOML files beside this module. Cosine thresholds and ``base`` (the cosine of unrelated text)
belong to a model, so every preset has them per embedder.
"""

import json
import re
import tomllib
from collections.abc import Iterable, Mapping
from importlib.resources import files
from typing import Literal

from pydantic import BaseModel, ConfigDict, Field

from app.errors import SettingsError, UnknownPresetError
from ingest.options import table_name
from ingest.protocols import Recipe
from ingest.types import FieldName

KeywordMode = Literal["none", "any", "all"]
"""Which pages the keyword clause returns: no clause, pages with any of the words, pages with all."""

Purpose = Literal["answer", "law"]
"""Which prompt answers: that for the pages of a website, or that for acts of law."""

Ranking = Literal["relevance_sum", "clause_sum", "cosine", "reciprocal_rank"]
ThresholdName = Literal["base", "content", "title", "description", "name", "keywords"]


class _Strict(BaseModel):
    model_config = ConfigDict(extra="forbid", frozen=True)


class IndexPreset(_Strict):
    """How pages are cut: a chunker's name and whether chunks are embedded with their context line, and the
    chunker's other ``options``."""

    chunker: str
    context_line: bool
    options: dict[str, int] = {}


class LinksPreset(_Strict):
    """What is read beside hits in law: of each of the first ``hits`` at most so many ``pages`` that it refers
    to, of each of them at most so many ``bytes``."""

    hits: int = Field(gt=0)
    pages: int = Field(gt=0)
    bytes: int = Field(gt=0)


class QuestionPreset(_Strict):
    """How a question is searched and answered. ``k``: pages per kNN arm; ``limit``: pages in the result.

    ``rephrase``: whether a question without a conversation is rephrased too. ``extract``: whether the call
    that rephrases also gives keywords and the time asked for. ``keep_original``: whether what the question
    finds as it was asked stays beside what the rephrased one finds. ``prompt``: what the model answers by.
    ``cut_in_index``: whether the index already leaves out pages below a field's threshold; a hybrid preset
    needs low cosines too.
    """

    rephrase: bool
    extract: bool = False
    keep_original: bool = True
    prompt: Purpose = "answer"
    ranking: Ranking
    keyword: KeywordMode
    cut_in_index: bool
    limit: int = Field(gt=0)
    minimum_coverage: float
    expansion_chunks: int = Field(ge=0)
    budget_tokens: int = Field(gt=0)
    links: LinksPreset | None = None
    k: dict[FieldName, int]


class Thresholds(_Strict):
    """Raw cosines for one embedder: of unrelated text (``base``), and from which a field counts."""

    base: float
    name: float
    title: float
    description: float
    keywords: float
    content: float

    def by_field(self, fields: Iterable[FieldName]) -> dict[FieldName, float]:
        """The thresholds of these fields."""
        return {field: getattr(self, field) for field in fields}

    def relevance(self, cosine: float) -> float:
        """How near the cosine is: 0 as unrelated text, 1 the same; below 0 for what is farther."""
        return (cosine - self.base) / (1 - self.base)

    def passes(self, field: FieldName, cosine: float) -> bool:
        """Whether the field's cosine reaches its threshold."""
        threshold: float = getattr(self, field)
        return cosine >= threshold


class Preset(_Strict):
    """One preset file."""

    name: str
    index: IndexPreset
    question: QuestionPreset
    embedders: dict[str, Thresholds]

    def thresholds(self, embedder: Recipe) -> Thresholds:
        """Those of the embedder's model, else of its name. Raises ``SettingsError`` where there are none."""
        keys = threshold_keys(embedder)
        found = next((self.embedders[key] for key in keys if key in self.embedders), None)
        if found is None:
            *others, last = Thresholds.model_fields
            raise SettingsError(
                f"preset {self.name!r} has no thresholds for {keys[0]!r}: give its cosines in a table "
                f"[thresholds.{_toml_key(keys[0])}] with {', '.join(others)} and {last} in auskunft.toml"
            )
        return found

    def with_thresholds(self, tables: Mapping[str, Mapping[ThresholdName, float]]) -> "Preset":
        """The preset with these values in place of its own, by the keys that ``threshold_keys`` gives.

        Raises ``SettingsError`` where a table is new and lacks a value.
        """
        embedders = dict(self.embedders)
        for key, given in tables.items():
            own = embedders[key].model_dump() if key in embedders else {}
            values = own | {str(name): value for name, value in given.items()}
            if missing := [name for name in Thresholds.model_fields if name not in values]:
                raise SettingsError(f"setting 'thresholds.{key}' needs {', '.join(missing)} too")
            embedders[key] = Thresholds(**values)
        return self.model_copy(update={"embedders": embedders})


def threshold_keys(embedder: Recipe) -> list[str]:
    """By which thresholds are found: ``BAAI/bge-m3`` and ``bge-m3:latest`` are the model ``bge-m3``, whatever
    runs it; an embedder has one model of its own or tells it."""
    model = str(embedder.get("model", "")).rpartition("/")[2].partition(":")[0]
    return [table_name(key) for key in (model, str(embedder["name"])) if key]


def _toml_key(key: str) -> str:
    return key if re.fullmatch(r"[\w-]+", key, re.ASCII) else json.dumps(key)


def preset_names() -> list[str]:
    """The presets there are, sorted."""
    return sorted(
        entry.name.removesuffix(".toml")
        for entry in files(__name__).iterdir()
        if entry.name.endswith(".toml")
    )


def load_preset(name: str) -> Preset:
    """Read a preset. Raises ``UnknownPresetError``, naming the known ones."""
    if name not in preset_names():
        raise UnknownPresetError(f"unknown preset {name!r}: known are {', '.join(preset_names())}")
    data = tomllib.loads(files(__name__).joinpath(f"{name}.toml").read_text("utf-8"))
    return Preset(name=name, **data)

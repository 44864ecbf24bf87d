"""What a new index is asked to be, and which settings and recipes are refused before that."""

from datetime import UTC, datetime
from pathlib import Path
from typing import Any, Final

import pytest

from app.errors import InputError, SettingsError
from app.search.elastic import ElasticOptions
from app.search.elastic.client import Version
from app.search.elastic.mapping import (
    GRAPH_FROM,
    QUANTISED_FROM,
    Body,
    index_body,
    read_metadata,
    vector_kind,
)
from app.search.types import GenerationRecipe
from app.services.elastic import elastic_options
from app.settings.settings import Settings
from ingest.types import FIELDS
from tests.contracts.embedded_pages import RECIPE

CREATED: Final = datetime(2026, 11, 2, 8, 30, tzinfo=UTC)
LANGUAGES: Final = {"de": "german", "cs": "our_czech"}


def options(**settings: Any) -> ElasticOptions:
    return elastic_options(Settings(**settings))


def body(dims: int = 4, vectors: int = 0, version: Version = (9, 5), **settings: Any) -> Body:
    recipe = GenerationRecipe(embedder={"name": "chosen", "dims": dims}, build={})
    return index_body(options(**settings), recipe, owner="", created=CREATED, vectors=vectors, oldest=version)


def vector(made: Body, field: str) -> Body:
    """The mapping of a field's vectors."""
    found: Body = made["mappings"]["properties"][field]["properties"]["chunks"]["properties"]["vector"]
    return found


def test_every_fields_vectors_have_the_embedders_dimensions() -> None:
    made = body(dims=384)
    assert {vector(made, field)["dims"] for field in FIELDS} == {384}
    assert {vector(made, field)["similarity"] for field in FIELDS} == {"cosine"}


def test_each_language_has_its_analyzer_in_the_words_and_in_the_content() -> None:
    properties = body(elasticsearch_languages=LANGUAGES)["mappings"]["properties"]
    for text in (properties["words"], properties["content"]["properties"]["text"]):
        assert {language: sub["analyzer"] for language, sub in text["fields"].items()} == LANGUAGES
    assert {properties[field]["properties"]["text"]["copy_to"] for field in FIELDS} == {"words"}


def test_words_are_indexed_by_language_alone_as_counts_without_positions() -> None:
    words = body(elasticsearch_languages=LANGUAGES)["mappings"]["properties"]["words"]
    assert words["index"] is False
    assert {sub["index_options"] for sub in words["fields"].values()} == {"freqs"}
    assert not any("index" in sub for sub in words["fields"].values())


def test_the_contents_languages_are_indexed_for_highlights_without_counts_or_positions() -> None:
    fields = body()["mappings"]["properties"]["content"]["properties"]["text"]["fields"]
    assert {field["index_options"] for field in fields.values()} == {"docs"}


def test_without_languages_there_are_no_sub_fields() -> None:
    properties = body(elasticsearch_languages={})["mappings"]["properties"]
    assert properties["words"]["fields"] == properties["content"]["properties"]["text"]["fields"] == {}


def test_unknown_fields_are_refused_and_vectors_are_not_kept_twice() -> None:
    mappings = body()["mappings"]
    assert mappings["dynamic"] == "strict"
    assert "*.chunks.vector" in mappings["_source"]["excludes"]


@pytest.mark.parametrize(
    ("setting", "vectors", "kind"),
    [
        ("auto", 0, "flat"),
        ("auto", GRAPH_FROM - 1, "flat"),
        ("auto", GRAPH_FROM, "hnsw"),
        ("auto", QUANTISED_FROM - 1, "hnsw"),
        ("auto", QUANTISED_FROM, "int8_hnsw"),
        ("flat", QUANTISED_FROM, "flat"),
        ("hnsw", 0, "hnsw"),
        ("int8_hnsw", 0, "int8_hnsw"),
        ("bbq_hnsw", 0, "bbq_hnsw"),
    ],
)
def test_the_contents_vectors_are_of_the_kind_set_or_fit_their_number_and_the_others_are_flat(
    setting: str, vectors: int, kind: str
) -> None:
    made = body(vectors=vectors, elasticsearch_vectors=setting)
    assert vector_kind(options(elasticsearch_vectors=setting), vectors) == kind
    assert vector(made, "content")["index_options"] == {"type": kind}
    assert {vector(made, field)["index_options"]["type"] for field in FIELDS if field != "content"} == {
        "flat"
    }


def test_shards_replicas_and_the_memory_of_removals_come_from_the_settings() -> None:
    made = body(elasticsearch_shards=3, elasticsearch_replicas=2, elasticsearch_gc_deletes="2d")
    index = made["settings"]["index"]
    assert (index["number_of_shards"], index["number_of_replicas"], index["gc_deletes"]) == (3, 2, "2d")


def test_removals_are_remembered_for_an_hour_by_default() -> None:
    assert body()["settings"]["index"]["gc_deletes"] == "1h"


def test_how_an_index_was_made_is_read_from_it() -> None:
    made = index_body(
        options(elasticsearch_languages=LANGUAGES),
        RECIPE,
        owner="",
        created=CREATED,
        vectors=QUANTISED_FROM,
        oldest=(9, 5),
    )
    read = read_metadata(made["mappings"])
    assert read is not None
    assert (read.version, read.created, read.recipe) == (1, CREATED, RECIPE)
    assert (read.vectors, read.element_type, read.languages) == ("int8_hnsw", "bfloat16", ("de", "cs"))


def test_an_index_that_does_not_say_how_it_stores_numbers_stores_floats() -> None:
    mappings = body()["mappings"]
    del mappings["_meta"]["auskunft"]["element_type"]
    read = read_metadata(mappings)
    assert read is not None
    assert read.element_type == "float"


@pytest.mark.parametrize(
    ("setting", "version", "stored"),
    [
        ("auto", (8, 19), "float"),
        ("auto", (9, 2), "float"),
        ("auto", (9, 3), "bfloat16"),
        ("float", (9, 5), "float"),
        ("bfloat16", (9, 5), "bfloat16"),
    ],
)
def test_vectors_take_half_the_room_where_the_server_and_the_settings_let_them(
    setting: str, version: Version, stored: str
) -> None:
    made = body(version=version, elasticsearch_element_type=setting)
    assert {vector(made, field)["element_type"] for field in FIELDS} == {stored}


def test_half_vectors_that_a_node_does_not_know_are_refused_with_the_remedy() -> None:
    with pytest.raises(SettingsError, match=r"9\.3 on every node, one is 8\.19: upgrade it, or set auto"):
        body(version=(8, 19), elasticsearch_element_type="bfloat16")


@pytest.mark.parametrize("mappings", [{}, {"_meta": {}}, {"_meta": {"other": {"version": 1}}}])
def test_an_index_of_somebody_else_says_nothing(mappings: Body) -> None:
    assert read_metadata(mappings) is None


@pytest.mark.parametrize("dims", [0, -1, 4_097, 5_000])
def test_an_embedder_that_cannot_be_indexed_is_refused_with_the_limits(dims: int) -> None:
    with pytest.raises(InputError, match=rf"{dims} dimensions.* 1 to 4096"):
        body(dims=dims)


@pytest.mark.parametrize("dims", [1, 4_096])
def test_the_outermost_dimensions_can_be_indexed(dims: int) -> None:
    assert vector(body(dims=dims), "content")["dims"] == dims


def test_the_analysis_file_is_taken_over_whole(tmp_path: Path) -> None:
    file = tmp_path / "analysis.json"
    file.write_text('{"analyzer": {"our_czech": {"type": "custom", "tokenizer": "standard"}}}')
    assert body(elasticsearch_analysis=file)["settings"]["analysis"] == {
        "analyzer": {"our_czech": {"type": "custom", "tokenizer": "standard"}}
    }
    assert body()["settings"]["analysis"] == {}


@pytest.mark.parametrize(
    ("content", "reason"),
    [
        (None, "cannot be read: No such file"),
        (b"", "is not JSON"),
        (b'{"analyzer": ', "is not JSON"),
        (b'{"analyzer": "\xff"}', "is not JSON in UTF-8"),
        (b'["analyzer"]', "must contain an object"),
        (b"null", "must contain an object"),
    ],
)
def test_a_bad_analysis_file_is_named_in_one_line(tmp_path: Path, content: bytes | None, reason: str) -> None:
    file = tmp_path / "analysis.json"
    if content is not None:
        file.write_bytes(content)
    with pytest.raises(SettingsError, match=reason) as refusal:
        body(elasticsearch_analysis=file)
    assert f"elasticsearch_analysis: {file}" in str(refusal.value)
    assert "\n" not in str(refusal.value)


def test_an_analysis_file_that_is_a_folder_is_named(tmp_path: Path) -> None:
    with pytest.raises(SettingsError, match="cannot be read: Is a directory"):
        body(elasticsearch_analysis=tmp_path)

"""Thresholds: which model they are for, and whose values hold."""

from typing import get_args

import pytest

from app.errors import SettingsError
from app.presets import ThresholdName, threshold_keys
from app.presets.collection import Presets
from app.settings.settings import load_settings

PRESETS = Presets()
PRESET = PRESETS.load("default")


@pytest.mark.parametrize(
    ("recipe", "keys"),
    [
        ({"name": "endpoint", "model": "BAAI/bge-m3"}, ["bge-m3", "endpoint"]),
        ({"name": "endpoint", "model": "bge-m3:latest"}, ["bge-m3", "endpoint"]),
        ({"name": "bge-m3", "model": "bge-m3"}, ["bge-m3", "bge-m3"]),
        ({"name": "onnx", "model": "all-MiniLM-L6-v2"}, ["all-minilm-l6-v2", "onnx"]),
        ({"name": "endpoint", "model": "my_model.Q4"}, ["my-model.q4", "endpoint"]),
        ({"name": "hashing"}, ["hashing"]),
    ],
)
def test_a_model_has_its_thresholds_whatever_runs_it(recipe: dict[str, str], keys: list[str]) -> None:
    assert threshold_keys(recipe) == keys


@pytest.mark.parametrize("name", PRESETS.names())
def test_every_preset_knows_the_bundled_embedders_and_bge_m3(name: str) -> None:
    for embedder in ("e5", "hashing", "bge-m3"):
        assert PRESETS.load(name).thresholds({"name": embedder}).content > 0


@pytest.mark.parametrize("name", ["default", "rtr", "eurlex"])
def test_presets_that_are_in_use_here_know_the_english_model(name: str) -> None:
    assert PRESETS.load(name).thresholds({"name": "onnx", "model": "all-MiniLM-L6-v2"}).content > 0


@pytest.mark.parametrize(
    ("name", "law", "extract", "hits"),
    [
        ("default", False, False, 1),
        ("egocms", False, False, 0),
        ("rtr", True, False, 40),
        ("eurlex", True, True, 0),
        ("naive", True, False, 0),
    ],
)
def test_a_preset_says_what_answers_and_what_is_read_beside_hits(
    name: str, law: bool, extract: bool, hits: int
) -> None:
    question = PRESETS.load(name).question
    assert ((question.prompt == "law"), question.extract) == (law, extract)
    assert (question.links.hits if question.links else 0) == hits


def test_the_bundled_model_is_found_by_its_embedders_name() -> None:
    found = PRESET.thresholds({"name": "e5", "model": "multilingual-e5-small"})
    assert found == PRESET.embedders["e5"]


GUESSED = [
    "BAAI/bge-m3",
    "Snowflake/snowflake-arctic-embed-l-v2.0",
    "Snowflake/snowflake-arctic-embed-m-v2.0",
    "sentence-transformers/all-mpnet-base-v2",
]


@pytest.mark.parametrize("name", PRESETS.names())
@pytest.mark.parametrize("model", GUESSED)
def test_models_that_were_not_measured_have_thresholds_that_say_so(name: str, model: str) -> None:
    preset = PRESETS.load(name)
    assert preset.thresholds({"name": "endpoint", "model": model}).content < 0.5
    measured = {key for key, table in preset.embedders.items() if table.measured}
    assert measured <= {"e5", "all-minilm-l6-v2", "hashing"}


def test_preset_naive_searches_by_meaning_alone_and_ranks_by_it() -> None:
    naive = PRESETS.load("naive")
    assert (naive.index.chunker, naive.index.context_line) == ("windows", False)
    assert (naive.question.keyword, naive.question.ranking) == ("none", "cosine")


@pytest.mark.parametrize("name", ["rtr", "eurlex", "naive"])
@pytest.mark.parametrize("model", ["snowflake-arctic-embed2", "paraphrase-multilingual-mpnet-base-v2"])
def test_a_preset_that_chooses_pages_without_thresholds_takes_any_model(name: str, model: str) -> None:
    preset = PRESETS.load(name)
    found = preset.thresholds({"name": "endpoint", "model": model})
    assert (found.base, found.content) == (0, 0)
    assert preset.thresholds({"name": "e5"}).content > 0
    values: dict[ThresholdName, float] = dict.fromkeys(get_args(ThresholdName), 0.3)
    given = preset.with_thresholds({model: values}).thresholds({"name": "endpoint", "model": model})
    assert given.content == 0.3


@pytest.mark.parametrize("name", ["default", "egocms"])
def test_a_preset_with_thresholds_refuses_a_model_whose_cosines_it_does_not_know(name: str) -> None:
    with pytest.raises(SettingsError, match="has no thresholds for 'mpnet'"):
        PRESETS.load(name).thresholds({"name": "endpoint", "model": "mpnet"})


@pytest.mark.parametrize(
    ("model", "table"), [("nomic-embed-text", "nomic-embed-text"), ("Qwen3-0.6B", '"qwen3-0.6b"')]
)
def test_a_model_without_thresholds_is_told_with_the_table_to_add(model: str, table: str) -> None:
    with pytest.raises(SettingsError) as caught:
        PRESET.thresholds({"name": "endpoint", "model": model})
    assert f"[thresholds.{table}]" in str(caught.value)
    assert "\n" not in str(caught.value)


def test_the_settings_values_hold_before_the_presets() -> None:
    changed = PRESET.with_thresholds({"e5": {"content": 0.9}}).thresholds({"name": "e5"})
    assert changed == PRESET.embedders["e5"].model_copy(update={"content": 0.9})
    assert PRESET.embedders["e5"].content != 0.9


def test_a_new_table_needs_every_value() -> None:
    values: dict[ThresholdName, float] = dict.fromkeys(get_args(ThresholdName), 0.3)
    model = {"name": "endpoint", "model": "new"}
    assert PRESET.with_thresholds({"new": values}).thresholds(model).content == 0.3
    del values["title"]
    with pytest.raises(SettingsError, match=r"'thresholds\.new' is incomplete: add title"):
        PRESET.with_thresholds({"new": values})


def test_tables_come_from_the_environment_where_names_have_no_hyphens(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setenv("AUSKUNFT_THRESHOLDS__BGE_M3__CONTENT", "0.3")
    monkeypatch.setenv("AUSKUNFT_EMBEDDERS__BGE_M3__DEVICE", "cpu")
    settings = load_settings()
    assert settings.thresholds == {"bge-m3": {"content": 0.3}}
    assert settings.embedder_options("bge-m3") == {"device": "cpu"}

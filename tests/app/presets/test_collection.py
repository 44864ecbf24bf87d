"""An operator's presets: merged with those that they extend, or refused in one line."""

from collections.abc import Mapping
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from app.errors import SettingsError, UnknownPresetError
from app.presets import Preset
from app.presets.collection import Presets
from app.presets.preset_file import PresetFile, extended, make_preset
from app.services import Services
from app.settings.settings import Settings, load_settings
from app.settings.sites import SiteSettings

PACKAGE = Presets()
DEFAULT = PACKAGE.load("default")

OWN = """\
description = "Ours."
extends = "default"

[question]
limit = 5

[question.k]
title = 0
content = 30

[embedders.e5]
content = 0.8
"""


def presets(folder: Path, **files: str) -> Presets:
    """The presets with these files in the operator's folder."""
    for name, text in files.items():
        (folder / f"{name}.toml").write_text(text, "utf-8")
    return Presets(folder)


def test_a_file_says_only_what_differs_from_the_preset_that_it_extends(tmp_path: Path) -> None:
    own = presets(tmp_path, ours=OWN).load("ours")
    assert (own.name, own.description, own.index) == ("ours", "Ours.", DEFAULT.index)
    assert own.question == DEFAULT.question.model_copy(
        update={"limit": 5, "k": {"content": 30, "description": 10}}
    )
    changed = DEFAULT.embedders["e5"].model_copy(update={"content": 0.8})
    assert own.embedders == {**DEFAULT.embedders, "e5": changed}


def test_a_chain_of_files_is_merged_from_its_end(tmp_path: Path) -> None:
    known = presets(
        tmp_path,
        a='extends = "b"\n[question]\nlimit = 3',
        b='extends = "c"\ndescription = "B."\n[question]\nlimit = 2\nbudget_tokens = 99',
        c='extends = "rtr"\n[question]\nlimit = 1\nlinks = "none"',
    )
    question = known.load("a").question
    assert (question.limit, question.budget_tokens, question.links) == (3, 99, None)
    assert question.ranking == PACKAGE.load("rtr").question.ranking
    assert known.load("a").description == ""


def test_a_file_that_extends_nothing_is_complete(tmp_path: Path) -> None:
    own = presets(
        tmp_path,
        own="""
        [index]
        chunker = "units"
        context_line = false
        [question]
        rephrase = false
        ranking = "cosine"
        keyword = "none"
        cut_in_index = false
        limit = 4
        minimum_coverage = 0
        expansion_chunks = 0
        budget_tokens = 1000
        k = { content = 4 }
        [embedders."*"]
        base = 0
        content = 0
        title = 0
        description = 0
        name = 0
        keywords = 0
        """,
    )
    assert own.load("own").index.chunker == "units"


def test_options_are_inherited_only_with_their_chunker(tmp_path: Path) -> None:
    known = presets(
        tmp_path,
        finer='extends = "eurlex"\n[index.options]\noverlap = 20',
        other='extends = "eurlex"\n[index]\nchunker = "units"',
    )
    assert known.load("finer").index.options == {"characters": 200, "overlap": 20}
    assert known.load("other").index.options == {}


@pytest.mark.parametrize(
    ("text", "complaint"),
    [
        ("limit = = 3", "is not valid TOML: "),
        ("x = " + "[" * 10_000, "is nested too deeply"),
        ("limit = 3", "unknown key 'limit': use one of description, extends, index"),
        ('extend = "default"', "unknown key 'extend': did you mean 'extends'?"),
        ('name = "x"', "unknown key 'name': "),
        ("extends = 1", "extends must be the name of one preset"),
        ('extends = ["default", "rtr"]', "extends must be the name of one preset"),
        ('extends = "nope"', "extends the unknown preset 'nope'; known: bad, contextual, default, "),
        ('extends = "bad"', "extends goes round in a circle: bad → bad"),
        ("", "index is missing: give it, or what is left out of another preset by extends"),
    ],
)
def test_a_wrong_file_is_refused_in_one_line_that_names_it(tmp_path: Path, text: str, complaint: str) -> None:
    with pytest.raises(SettingsError) as refusal:
        presets(tmp_path, bad=text)
    check(refusal.value, tmp_path, complaint)


@pytest.mark.parametrize(
    ("text", "complaint"),
    [
        ("index = 3", "index: "),
        ("description = 3", "description: input should be a valid string (got 3)"),
        ('description = "a\\nb"', "description: "),
        ("[question]\nlimt = 3", "unknown key 'question.limt': did you mean 'limit'?"),
        ("[question.links]\nhit = 3", "unknown key 'question.links.hit': did you mean 'hits'?"),
        ("[question.k]\ncontents = 3", "unknown key 'question.k.contents': did you mean 'content'?"),
        ("[embedders.e5]\ntitel = 0.3", "unknown key 'embedders.e5.titel': did you mean 'title'?"),
        ("[index]\nchunkr = 'units'", "unknown key 'index.chunkr': did you mean 'chunker'?"),
        ("[question]\nlimit = 0", "question.limit: input should be greater than 0 (got 0)"),
        ("[question]\nlimit = 100000", "question.limit: "),
        ("[question]\nlimit = true", "question.limit: input should be a valid integer (got True)"),
        ("[question]\nlimit = '10'", "question.limit: input should be a valid integer (got '10')"),
        ("[question]\nranking = 'best'", "question.ranking: input should be 'relevance_sum', "),
        ("[question]\nminimum_coverage = nan", "question.minimum_coverage: "),
        ("[question]\nlinks = 'no'", "question.links: "),
        ("[question.k]\ncontent = -1", "question.k.content: "),
        ("[question.k]\ncontent = 0\ntitle = 0\ndescription = 0", "question.k: set at least one field"),
        ("[embedders.e5]\nbase = 1", "embedders.e5.base: input should be less than 1 (got 1)"),
        ("[embedders.e5]\ncontent = inf", "embedders.e5.content: "),
        ("[embedders.new]\nbase = 0.1", "embedders.new.name is missing"),
        ('[embedders."BAAI/BGE_M3"]\nbase = 0.1', 'embedders."BAAI/BGE_M3".name is missing'),
        ("[index]\nchunker = 'wholes'", "unknown chunker 'wholes'; known: sections, units, windows"),
        ("[index.options]\nsize = 3", "chunker 'windows' has no option 'size'"),
        ("[index]\nchunker = 'sections'\noptions = { charcters = 3 }", "did you mean 'characters'?"),
        ("[index]\nchunker = 'sections'\noptions = { overlap = 500 }", "an overlap of 500 in 400 characters"),
        ("[index]\noptions = { context_line = 1 }", "has no option 'context_line'"),
    ],
)
def test_a_wrong_change_is_refused_in_one_line_that_names_the_file(
    tmp_path: Path, text: str, complaint: str
) -> None:
    with pytest.raises(SettingsError) as refusal:
        presets(tmp_path, bad=f'extends = "default"\n{text}')
    check(refusal.value, tmp_path, complaint)


def check(refusal: SettingsError, folder: Path, complaint: str) -> None:
    """The refusal is one line with the file's name and this complaint."""
    message = str(refusal)
    assert message.startswith(str(folder / "bad.toml"))
    assert complaint in message
    assert len(message.splitlines()) == 1


def test_thresholds_under_a_name_that_is_never_looked_up_are_refused(tmp_path: Path) -> None:
    values = "\n".join(
        f"{name} = 0.1" for name in ("base", "name", "title", "description", "keywords", "content")
    )
    with pytest.raises(SettingsError, match=r"write 'BAAI/BGE_M3' as 'bge-m3', the last part of the model"):
        presets(tmp_path, own=f'extends = "default"\n[embedders."BAAI/BGE_M3"]\n{values}')


def test_the_file_that_is_wrong_is_named_and_not_one_that_extends_it(tmp_path: Path) -> None:
    with pytest.raises(SettingsError, match=r"b\.toml: unknown key 'question\.limt'"):
        presets(tmp_path, a='extends = "b"', b='extends = "rtr"\n[question]\nlimt = 2')


def test_a_circle_of_files_is_told_with_its_names(tmp_path: Path) -> None:
    with pytest.raises(SettingsError, match="a → b → c → b"):
        presets(tmp_path, a='extends = "b"', b='extends = "c"', c='extends = "b"')


def test_a_preset_of_the_package_is_not_replaced(tmp_path: Path) -> None:
    with pytest.raises(
        SettingsError, match=r"rtr\.toml: 'rtr' is a preset of the package: .*extends = \"rtr\""
    ):
        presets(tmp_path, rtr='extends = "default"')


@pytest.mark.parametrize("name", ["Town", "a b", "ä", "x" * 65])
def test_a_name_that_no_setting_could_hold_is_refused(tmp_path: Path, name: str) -> None:
    with pytest.raises(SettingsError, match="not a preset's name: use 1 to 64 of a-z, 0-9, '-' and '_'"):
        presets(tmp_path, **{name: 'extends = "default"'})


def test_a_file_that_cannot_be_read_is_named(tmp_path: Path) -> None:
    (tmp_path / "own.toml").mkdir()
    with pytest.raises(SettingsError, match=r"own\.toml cannot be read: Is a directory"):
        Presets(tmp_path)
    (tmp_path / "own.toml").rmdir()
    (tmp_path / "own.toml").write_bytes(b"\xff")
    with pytest.raises(SettingsError, match=r"own\.toml is not UTF-8 at byte 0"):
        Presets(tmp_path)


def test_other_files_of_the_folder_are_left_alone(tmp_path: Path) -> None:
    for name in ("README.md", "own.toml~", ".own.toml"):
        (tmp_path / name).write_text("limit = = 3", "utf-8")
    assert Presets(tmp_path).names() == PACKAGE.names()


def test_an_unknown_preset_is_told_with_the_operators_own(tmp_path: Path) -> None:
    with pytest.raises(UnknownPresetError, match=r"unknown preset 'nope'; known: contextual, .*ours"):
        presets(tmp_path, ours=OWN).load("nope")


def test_installation_sites_and_sources_may_have_an_operators_preset(tmp_path: Path) -> None:
    folder = tmp_path / "presets"
    folder.mkdir()
    presets(folder, ours=OWN, small='extends = "eurlex"\n[index.options]\ncharacters = 100\noverlap = 10')
    settings = Settings.model_validate(
        {
            "data": tmp_path / "data",
            "embedder": "hashing",
            "preset": "ours",
            "presets": folder,
            "sources": {"law": {"preset": "small"}},
            "sites": [{"key": "law", "preset": "small"}],
        }
    )
    with Services(settings) as installation:
        assert installation.preset.question.limit == 5
        assert "source law" in installation.indexing.chunker.recipe
        pipelines = installation.chat.pipelines
        assert pipelines.preset_of(SiteSettings(key="law", preset="small")).name == "small"
        assert pipelines.of(settings.sites[0])


def test_the_folder_is_beside_the_settings_file_or_where_they_say(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    (tmp_path / "etc" / "presets").mkdir(parents=True)
    (tmp_path / "etc" / "ours").mkdir()
    file = tmp_path / "etc" / "town.toml"
    file.write_text("", "utf-8")
    monkeypatch.chdir(tmp_path)
    assert load_settings().presets is None
    monkeypatch.setenv("AUSKUNFT_CONFIG", str(file))
    assert load_settings().presets == tmp_path / "etc" / "presets"
    file.write_text('presets = "ours"', "utf-8")
    assert load_settings().presets == tmp_path / "etc" / "ours"
    assert load_settings(presets=tmp_path).presets == tmp_path
    file.write_text('presets = "nope"', "utf-8")
    with pytest.raises(SettingsError, match=r"setting 'presets': .*nope is not a folder"):
        load_settings()


VALUES: Mapping[str, st.SearchStrategy[Any]] = {
    "chunker": st.sampled_from(["windows", "sections", "units"]),
    "context_line": st.booleans(),
    "ranking": st.sampled_from(["cosine", "relevance_sum", "reciprocal_rank"]),
    "limit": st.integers(-1, 1_001),
    "minimum_coverage": st.floats(),
    "links": st.just("none")
    | st.fixed_dictionaries({}, optional={"hits": st.integers(0, 3), "share": st.floats()}),
    "k": st.dictionaries(st.sampled_from(["content", "title", "nope"]), st.integers(0, 1_001)),
    "nope": st.text(max_size=3),
}
SCALARS = st.none() | st.booleans() | st.integers() | st.floats() | st.text(max_size=5)
ANYTHING = st.recursive(
    SCALARS, lambda inner: st.lists(inner) | st.dictionaries(st.text(max_size=5), inner), max_leaves=5
)


def table(*keys: str) -> st.SearchStrategy[Any]:
    """Some of these keys with values that mostly are good; or anything."""
    good = st.fixed_dictionaries({}, optional={key: VALUES[key] for key in keys})
    return st.one_of(good, good, good, ANYTHING)


TABLES = st.fixed_dictionaries(
    {},
    optional={
        "description": st.text(max_size=5),
        "index": table("chunker", "context_line"),
        "question": table("ranking", "limit", "minimum_coverage", "links", "k", "nope"),
        "embedders": st.dictionaries(st.sampled_from(["e5", "new", "E5"]), ANYTHING, max_size=1) | ANYTHING,
    },
)


@given(st.sampled_from(PACKAGE.names()), st.lists(TABLES, min_size=1, max_size=3))
def test_any_merge_is_a_preset_or_is_refused_in_one_line(name: str, files: list[dict[str, Any]]) -> None:
    tables: Mapping[str, Any] = PACKAGE.file(name).tables
    for position, own in enumerate(files):
        file = PresetFile(name=f"own{position}", origin="own.toml", tables=own)
        tables = extended(tables, own)
        try:
            preset = make_preset(file, tables)
        except SettingsError as refusal:
            assert str(refusal).startswith("own.toml: ")
            assert len(str(refusal).splitlines()) == 1
            return
        assert isinstance(preset, Preset)
        assert preset.description == own.get("description", "")
        _keeps(own, tables)


def _keeps(own: Mapping[str, Any], merged: Mapping[str, Any]) -> None:
    """What a file says holds, whatever it extends."""
    for key, value in own.items():
        if isinstance(value, dict):
            _keeps(value, merged[key])
        else:
            assert merged[key] is value

"""Fields that searches are narrowed by, as the settings declare them."""

from pathlib import Path

import pytest

from app.errors import SettingsError
from app.search.fields import fields_of, fields_recipe
from app.settings.fields import _OF_EVERY_PAGE
from app.settings.settings import load_settings
from ingest.documents import PAGE_STARTS
from ingest.sources.records import _KNOWN


def declared(folder: Path, toml: str) -> dict[str, tuple[str, dict[str, str]]]:
    """The fields of a file with types and labels."""
    file = folder / "auskunft.toml"
    file.write_text(toml, "utf-8")
    fields = load_settings(file).fields
    return {name: (field.type, field.label) for name, field in fields.items()}


def test_a_field_is_a_table_or_its_type_alone(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    toml = """
        [fields]
        year = "number"
        [fields.office]
        type = "keyword"
        label.de = "Amt"
    """
    assert declared(tmp_path, toml) == {"year": ("number", {}), "office": ("keyword", {"de": "Amt"})}
    monkeypatch.setenv("AUSKUNFT_FIELDS__DAY", "date")
    assert load_settings().fields["day"].type == "date"


@pytest.mark.parametrize(
    ("fields", "problem"),
    [
        ({"office": "text"}, "setting 'fields.office.type': input should be 'keyword', 'number' or 'date'"),
        ({"office": {}}, "setting 'fields.office.type' is missing"),
        ({"office": {"type": "keyword", "lable": {}}}, "unknown setting 'fields.office.lable'"),
        ({"Office": "keyword"}, "use 1 to 63 lower-case letters"),
        ({"a.b": "keyword"}, "field 'a.b': use"),
        ({"9": "keyword"}, "field '9': use"),
        ({"title": "keyword"}, "field 'title' is a field that every page has"),
        ({"source": "keyword"}, "field 'source' is a field that every page has"),
        ({"office": {"type": "keyword", "label": {"german": "Amt"}}}, "fields.office.label.german"),
        ({f"f{number}": "keyword" for number in range(51)}, "at most 50"),
    ],
)
def test_a_field_that_cannot_be_is_told_in_one_line(fields: object, problem: str) -> None:
    with pytest.raises(SettingsError) as error:
        load_settings(fields=fields)
    assert problem in str(error.value)
    assert "\n" not in str(error.value)
    assert error.value.exit_code == 2


def test_a_field_has_its_label_in_a_language_else_in_english_else_its_name() -> None:
    fields = load_settings(
        fields={"office": {"type": "keyword", "label": {"de": "Amt", "en": "Office"}}, "year": "number"}
    ).fields
    assert [fields["office"].shown("office", language) for language in ("de", "fr")] == ["Amt", "Office"]
    assert fields["year"].shown("year", "de") == "year"


def test_what_records_take_for_a_page_itself_cannot_be_a_field() -> None:
    assert {*_KNOWN, PAGE_STARTS} <= _OF_EVERY_PAGE


def test_an_index_notes_its_fields_whatever_their_order_and_nothing_without_any() -> None:
    assert fields_recipe({}) == {}
    assert fields_recipe({"a": "date", "b": "keyword"}) == fields_recipe({"b": "keyword", "a": "date"})
    assert fields_of({"name": "x", **fields_recipe({"a": "date"})}) == {"a": "date"}
    assert fields_of({"name": "x"}) == {}

"""Every translation of an error's message belongs to an error that the code makes, and fits its template."""

import json
import re
from pathlib import Path
from typing import Final, get_args

import pytest
from pydantic_core.core_schema import ErrorType

from app.console.messages import catalogue
from app.sources.halts import WORDS
from tests.app.error_templates import ROOMS, ROOT, made_errors, places

CATALOGUES: Final = sorted(ROOT.glob("app/**/texts/messages.*.json"))
FIELD: Final = re.compile(r"[a-z_.*]+: (.+)")
"""A field's error. Pydantic alone knows its places: the feature with the field tests the translation."""


def templates() -> set[str]:
    """Those of all errors that the code makes, and of what pulls are halted for."""
    return {*WORDS.values(), *(made.template for made in made_errors(*ROOMS) if made.kind != "ValueError")}


def field_problems() -> set[str]:
    """What a field's error may say: pydantic's types, and the texts of our own ``ValueError``."""
    return {
        *get_args(ErrorType),
        *(made.template for made in made_errors(*ROOMS) if made.kind == "ValueError"),
    }


def needed(template: str) -> set[str]:
    """The values that an error needs for its template; none for an f-string, which is filled already."""
    return set() if template.startswith(("f'", 'f"')) else places(template)


def translations(catalogue: Path) -> dict[str, str]:
    """The translations by their templates."""
    found: dict[str, str] = json.loads(catalogue.read_text("utf-8"))
    return found


def test_there_are_catalogues() -> None:
    assert len(CATALOGUES) > 5
    assert sum(len(translations(each)) for each in CATALOGUES) > 100


@pytest.mark.parametrize("catalogue", CATALOGUES, ids=lambda path: str(path.relative_to(ROOT)))
def test_every_translation_belongs_to_an_error_of_the_code(catalogue: Path) -> None:
    unknown = translations(catalogue).keys() - templates()
    fields = {key for key in unknown if (found := FIELD.fullmatch(key)) and found[1] in field_problems()}
    assert unknown - fields == set()


@pytest.mark.parametrize("catalogue", CATALOGUES, ids=lambda path: str(path.relative_to(ROOT)))
def test_a_translation_has_no_place_that_its_template_lacks(catalogue: Path) -> None:
    known = templates()
    wrong = [
        key for key, text in translations(catalogue).items() if key in known and places(text) - places(key)
    ]
    assert wrong == []


def test_no_message_is_translated_in_two_catalogues_of_a_language() -> None:
    keys = [(path.name, key) for path in CATALOGUES for key in translations(path)]
    assert sorted(keys) == sorted(set(keys))


def test_every_template_is_given_its_values_and_no_others() -> None:
    made = [each for each in made_errors(*ROOMS) if each.kind not in ("super", "ValueError")]
    wrong = [each for each in made if not needed(each.template) <= each.values]
    wrong += [each for each in made if each.kind != "Said" and each.values - needed(each.template)]
    assert wrong == []


def test_all_that_checks_say_is_told_in_german() -> None:
    said = {made.template for made in made_errors(*ROOMS) if made.kind == "Said"}
    words = {template for template in said if re.search(r"[a-z]", re.sub(r"\{[^}]*\}|UTC", "", template))}
    assert len(words) > 40
    assert words - catalogue("de").keys() == set()

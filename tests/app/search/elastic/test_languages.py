"""Words in the forms and synonyms that the index and the server's analyzers know."""

import json
from collections.abc import Iterator
from contextlib import ExitStack, closing
from dataclasses import replace
from pathlib import Path
from typing import Any, Final

import pytest

from app.presets import KeywordMode
from app.search.elastic import ElasticIndex, ElasticOptions
from app.search.types import Candidate, QuerySpec
from tests.contracts.embedded_pages import RECIPE, embedded, ref

TOWN: Final = frozenset({"town"})


class Opener:
    """Opens an index whose live generation 1 has pages by language: ``{"de": "Text"}``."""

    def __init__(self, options: ElasticOptions, stack: ExitStack) -> None:
        self._options = options
        self._stack = stack

    def __call__(self, pages: dict[str, str], **options: Any) -> ElasticIndex:
        chosen = replace(self._options, **options)
        index = self._stack.enter_context(closing(ElasticIndex(chosen)))
        index.promote(index.create(RECIPE).number)
        add(index, pages)
        return index


@pytest.fixture
def opened(options: ElasticOptions) -> Iterator[Opener]:
    with ExitStack() as stack:
        yield Opener(options, stack)


def add(index: ElasticIndex, pages: dict[str, str]) -> None:
    index.write(1, [embedded(ref(code, language=code), content=text) for code, text in pages.items()])
    index.refresh()


def having(index: ElasticIndex, *words: str, mode: KeywordMode = "any") -> dict[str, Candidate]:
    """The candidates of the keyword clause, by language."""
    found = index.search(QuerySpec(words=words, sources=TOWN, keyword=mode))
    assert all(candidate.keyword for candidate in found)
    return {candidate.page.ref.language: candidate for candidate in found}


GERMAN: Final = "Die Öffnungszeiten der Häuser am See."


@pytest.mark.parametrize("word", ["öffnungszeit", "öffnungszeiten", "haus", "hauses", "see"])
@pytest.mark.parametrize("languages", [{"de": "german"}, {}])
def test_a_german_word_is_found_in_another_form_with_and_without_the_servers_analyzer(
    opened: Opener, languages: dict[str, str], word: str
) -> None:
    index = opened({"de": GERMAN, "en": "The library."}, languages=languages)
    found = having(index, word)
    assert set(found) == {"de"}
    assert found["de"].coverage > 0.3


@pytest.mark.parametrize(
    ("language", "text", "word"),
    [
        ("cs", "Knihovna je otevřena v sobotu.", "sobotu"),
        ("und", "Bücherei 42b", "42b"),
        ("es", "Las casas", "casa"),
    ],
)
def test_a_language_without_analyzer_is_found(opened: Opener, language: str, text: str, word: str) -> None:
    found = having(opened({language: text, "en": "The library."}), word)
    assert set(found) == {language}
    assert found[language].coverage > 0.3


SYNONYMS: Final = {"languages": {"en": "town_synonyms"}}


@pytest.mark.parametrize("mode", ["any", "all"])
def test_a_page_with_only_a_synonym_is_found_and_covers_the_word(opened: Opener, mode: KeywordMode) -> None:
    index = opened({"en": "Rubbish is collected on Tuesday.", "fr": "Refusal"}, **SYNONYMS)
    found = having(index, "refuse", "tuesday", mode=mode)
    assert set(found) == {"en"}
    alone = having(index, "tuesday")["en"].coverage
    assert found["en"].coverage > 0.9 * alone > 0
    assert having(index, "refuse")["en"].coverage > 0
    assert having(index, "refuse", "absent")["en"].coverage < having(index, "refuse")["en"].coverage


def test_synonyms_of_a_language_do_not_apply_to_pages_in_another(opened: Opener) -> None:
    assert having(opened({"de": "Rubbish", "en": "Library"}, **SYNONYMS), "refuse") == {}


def test_without_the_analyzer_a_synonym_is_not_found(opened: Opener) -> None:
    assert having(opened({"en": "Rubbish"}), "refuse") == {}


def test_synonyms_are_marked_in_highlights(opened: Opener) -> None:
    index = opened({"en": "Rubbish is collected on Tuesday."}, **SYNONYMS)
    [pieces] = index.highlights([ref("en")], ("refuse",)).values()
    assert [piece.text[start:end] for piece in pieces for start, end in piece.marks] == ["Rubbish"]


def test_an_analyzer_of_the_analysis_file_is_used(opened: Opener, tmp_path: Path) -> None:
    file = tmp_path / "analysis.json"
    stop = {"type": "stop", "stopwords": ["library"]}
    own = {"type": "custom", "tokenizer": "standard", "filter": ["lowercase", "town_stop"]}
    file.write_text(json.dumps({"filter": {"town_stop": stop}, "analyzer": {"town": own}}))
    index = opened({"en": "The library"}, languages={"en": "town"}, analysis=file)
    tokens = index._client.indices.analyze(index=index._catalog.index(1), analyzer="town", text="The Library")
    assert [token["token"] for token in tokens["tokens"]] == ["the"]


def test_the_first_page_in_a_language_is_found_by_the_next_search(opened: Opener) -> None:
    """Which languages the pages are in decides which stems are asked for."""
    index = opened({"en": "The library."}, languages={})
    assert having(index, "öffnungszeit") == {}
    add(index, {"de": GERMAN})
    found = having(index, "öffnungszeit")
    assert set(found) == {"de"}
    assert found["de"].coverage > 0.3


def test_the_languages_of_a_promoted_generation_are_its_own(opened: Opener) -> None:
    index = opened({"en": "The library."}, languages={})
    assert having(index, "öffnungszeit") == {}
    second = index.create(RECIPE).number
    index.write(second, [embedded(ref("de", language="de"), content=GERMAN)])
    index.promote(second)
    index.refresh()
    assert set(having(index, "öffnungszeit")) == {"de"}

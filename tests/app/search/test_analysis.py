"""Words, tokens, stems and stop words."""

from concurrent.futures import ThreadPoolExecutor
from importlib.resources import files

import pytest
from hypothesis import given
from hypothesis import strategies as st

from app.search import analysis


@pytest.mark.parametrize(
    ("question", "count"),
    [("Öffnungszeiten", 1), ("self-assessment don't", 2), ("§ 3.5 _ !", 1), ("", 0), ("wo ist das Amt?", 4)],
)
def test_words_are_counted_as_the_short_question_rule_says(question: str, count: int) -> None:
    assert len(analysis.words(question)) == count


@pytest.mark.parametrize(
    ("language", "one", "other"),
    [("de", "Gebühren", "Gebühr"), ("en", "elections", "election"), ("fr", "impôts", "impôt")],
)
def test_inflected_forms_share_a_token(language: str, one: str, other: str) -> None:
    assert analysis.tokens(one, language) == analysis.tokens(other, language)


def test_case_and_combining_marks_do_not_matter() -> None:
    assert analysis.tokens("STRASSE", "de") == analysis.tokens("Straße", "de")
    assert analysis.tokens("ü", "und") == analysis.tokens("u\u0308", "und")


def test_a_word_takes_one_form_per_language() -> None:
    assert analysis.forms("houses", ["en", "und"]) == {"hous", "houses"}


@pytest.mark.parametrize(
    ("asked", "written", "language"),
    [
        ("geöffnet", "Öffnungszeiten", "de"),
        ("geöffneten", "Öffnungszeit", "de"),
        ("teuer", "Gebühr", "de"),
        ("beantrage", "Antrag", "de"),
    ],
)
def test_words_of_questions_and_of_pages_for_the_same_share_a_form(
    asked: str, written: str, language: str
) -> None:
    assert analysis.forms(asked, [language]) & set(analysis.tokens(written, language))
    assert analysis.forms(written, [language]) & set(analysis.tokens(asked, language))
    assert not analysis.forms(asked, ["fr"]) & set(analysis.tokens(written, "fr"))


def test_no_word_is_in_two_families() -> None:
    for path in files("app.search").joinpath("word_families").iterdir():
        language = path.name.removesuffix(".txt")
        families = [set(analysis.tokens(line, language)) for line in path.read_text("utf-8").splitlines()]
        assert sum(map(len, families)) == len(set().union(*families)), path


def test_content_words_lack_stop_words_but_never_all_words() -> None:
    assert analysis.content_words("Wann hat das Bürgerbüro geöffnet?", "de") == ("bürgerbüro", "geöffnet")
    assert analysis.content_words("wo ist das", "de") == ("wo", "ist", "das")


@given(st.text(max_size=200))
def test_any_text_has_as_many_identifiers_as_tokens(text: str) -> None:
    stemmed = analysis.tokens(text, "de")
    assert len(analysis.token_ids(stemmed)) == len(stemmed)


def test_identifiers_are_stable_across_processes() -> None:
    assert analysis.token_ids(["hund"]).tolist() == [11088764808767149159]


def test_stemming_from_many_threads_gives_what_one_thread_gives() -> None:
    text = "Die Gebühren für Anwohnerparkausweise und Hundesteuern " * 50
    expected = analysis.tokens(text, "de")
    with ThreadPoolExecutor(8) as pool:
        assert all(
            result == expected for result in pool.map(lambda _: analysis.tokens(text, "de"), range(64))
        )


def test_the_address_of_a_link_is_no_word_of_its_page() -> None:
    content = "See [the fees](https://town.example/dog-tax.html) or <https://pool.example/>."
    stems = analysis.page_stems({"content": content}, "en")
    assert stems == analysis.tokens("See the fees or https://pool.example/", "en")


def test_the_share_of_links_counts_letters_that_are_read() -> None:
    assert analysis.link_share("* [one](https://example.org/a)\n* [two](https://example.org/b)") == 1.0
    assert analysis.link_share("abcd [ef](/a) [gh](/b)") == 0.5


@pytest.mark.parametrize(
    "markdown",
    [
        "no link",
        "---",
        "[Form (PDF)](/form.pdf)",
        "![a](/a.jpg) ![b](/b.jpg)",
        "[069 90009-110](tel:+496990009110), [office@example.org](mailto:office@example.org)",
    ],
)
def test_a_single_link_images_and_ways_to_reach_somebody_are_no_list_of_links(markdown: str) -> None:
    assert analysis.link_share(markdown) == 0.0

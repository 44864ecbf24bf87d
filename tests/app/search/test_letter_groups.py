"""The language of a few words is told by their letters where these are plain."""

from app.search.letter_groups import LetterGroups

GROUPS = LetterGroups(
    {"de": ["straße", "schule", "anmelden", "schwimmbad"], "it": ["scuola", "piscina", "iscrizione"]}
)


def test_words_are_of_the_language_that_is_written_like_them() -> None:
    assert GROUPS.language(["schulanmeldung", "straßenbahn"], ("de", "it")) == "de"
    assert GROUPS.language(["piscine", "iscrizioni"], ("de", "it")) == "it"


def test_a_language_that_it_may_not_be_or_that_is_not_known_is_never_told() -> None:
    assert GROUPS.language(["piscine", "iscrizioni"], ("de", "fr")) is None
    assert GROUPS.language([], ("de", "it")) is None


def test_what_is_written_like_none_of_them_is_in_none() -> None:
    assert GROUPS.language(["anmälan", "skolan", "stockholm", "förening"], ("de", "it")) is None


def test_letters_that_both_have_tell_neither() -> None:
    assert GROUPS.language(["alma"], ("de", "it")) is None

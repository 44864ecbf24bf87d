"""Scores by words and by the order that there is."""

import pytest

from app.errors import PluginError
from app.search.rerankers.lexical_blocks import LexicalBlocksReranker
from ingest import registry

RERANKER = LexicalBlocksReranker()


def best(question: str, *texts: str) -> int:
    """The place of the text with the highest score."""
    scores = RERANKER.scores(question, texts)
    return scores.index(max(scores))


def test_rare_words_of_the_question_count_more_than_frequent_ones() -> None:
    texts = [f"The town lends {thing} at the town hall." for thing in ("books", "games", "tools")]
    assert best("Does the town lend tools?", *texts) == 2


def test_other_forms_of_a_word_count() -> None:
    assert (
        best("Wer braucht einen Parkausweis?", "Die Gebühr beträgt 30 Euro.", "Parkausweise für Anwohner")
        == 1
    )


def test_a_text_with_what_is_asked_for_is_better_than_one_with_the_words_alone() -> None:
    assert best("How much is the dog tax?", "Pay the dog tax at once.", "The dog tax is 80 euros.") == 1


def test_a_heading_counts_for_what_is_below_it() -> None:
    assert best("When does the pool open?", "# Library\n\nMonday at 9.00", "# Pool\n\nMonday at 9.00") == 1


def test_words_that_are_together_count_more_than_scattered_ones() -> None:
    filler = "Something else. " * 20
    scattered = f"The dog is here.\n\n{filler}\n\nThe tax office is there."
    assert best("dog tax", scattered, "The dog tax.") == 1


def test_where_words_say_nothing_the_order_stays() -> None:
    assert RERANKER.scores("dog tax", ["The pool opens.", "", "The pool opens."]) == [0, -0.05, -0.1]


def test_a_text_moves_up_by_a_few_places_at_most() -> None:
    texts = ["The pool opens."] * 20
    for place, is_first in ((5, True), (15, False)):
        assert (best("dog tax", *texts[:place], "The dog tax.") == place) == is_first


def test_it_takes_no_options() -> None:
    with pytest.raises(PluginError, match="'lexical-blocks' cannot be used: unknown option 'model'"):
        registry.create("rerankers", "lexical-blocks", model="m")

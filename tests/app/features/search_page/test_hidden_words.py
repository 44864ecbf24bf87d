"""The list is no help to strangers who guess words of pages that they may not see."""

import pytest
from flask.testing import FlaskClient

from tests.attacks.test_hidden_words import HIDDEN, client

__all__ = ["client"]


@pytest.mark.parametrize("word", HIDDEN.values(), ids=HIDDEN)
def test_a_guessed_word_of_a_hidden_page_is_treated_as_one_that_no_page_has(
    client: FlaskClient, word: str
) -> None:
    unknown = word[:-2] + "iy"
    answers = [
        client.get("/api/search/pages", query_string={"site": "town", "q": asked}).get_json()
        for asked in (word, unknown)
    ]
    corrections = [
        None if answer["question"] == asked else answer["question"]
        for answer, asked in zip(answers, (word, unknown), strict=True)
    ]
    assert corrections[0] == corrections[1]
    assert answers[0]["suggestion"] == answers[1]["suggestion"]

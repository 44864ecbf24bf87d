"""``auskunft explain``."""

from tests.fakes.command import Command

QUESTION = "When does the swimming pool open?"


def test_explain_shows_the_way_of_a_question_in_lines(indexed: Command) -> None:
    result = indexed.run("explain", QUESTION, "--page", "https://nowhere.example/")
    assert (result.code, result.err) == (0, "")
    for line in (
        "search 1 (semantic)",
        "  thresholds: ",
        "content: similarity",
        "read: ",
        "answer (",
        " ms:",
    ):
        assert line in result.out
    assert "No source has this page. (unknown)" in result.out


def test_explain_says_in_json_why_a_page_is_not_found(indexed: Command) -> None:
    pages = indexed.run("pages", "--json").json()
    document = indexed.run("explain", QUESTION, "--page", pages[0]["id"], "--texts", "de", "--json").json()
    assert document["why_not"]["page"]["id"] == pages[0]["id"]
    assert document["why_not"]["sentence"].startswith("Die")
    assert document["searches"][0]["question"] == QUESTION


def test_an_unknown_site_ends_explain_with_code_2(indexed: Command) -> None:
    result = indexed.run("explain", QUESTION, "--site", "nowhere")
    assert (result.code, result.out) == (2, "")
    assert "is unknown: give a key that there is" in result.err

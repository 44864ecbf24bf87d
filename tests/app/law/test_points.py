"""The points of a provision know which words of a question they have."""

from app.law.points import best_points
from tests.app.chat.pages import page


def test_words_that_all_points_share_do_not_part_them() -> None:
    provision = page("art_2", content="On a tram:\n\n- (a) rails on a tram;\n- (b) music on a tram.")
    first, second = best_points(provision, (), "Which rules hold on a tram?", "en")
    assert first.by_words == second.by_words


def test_a_point_is_read_below_its_names_and_lead() -> None:
    provision = page("art_2", content="On a tram:\n\n- (a) rails;\n- (b) music.")
    assert [each.text for each in best_points(provision, (), "", "")] == [
        "art_2\nOn a tram:\n- (a) rails;",
        "art_2\nOn a tram:\n- (b) music.",
    ]

"""What binds is found by the recital that explains it, and read before it."""

from collections.abc import Callable, Iterator, Sequence
from dataclasses import replace
from functools import partial

import pytest

from app.chat.events import DoneEvent
from app.law.points import MOST_POINTS, Point, best_points
from app.law.provisions import with_provisions
from app.search.retrieval import Hit, NearChunk
from app.search.types import IndexedPage
from app.services import Services
from app.settings.settings import load_settings
from ingest.types import Save
from tests.app.chat.pages import hit, page
from tests.app.law.ferries import FIRST, SOURCE, text, unit
from tests.fakes.kept_vectors import kept_vectors

POINTS = """1. The following shall be prohibited on trams:

- (a) the sale of goods, tickets or lottery slips to passengers while the vehicle moves;
- (b) the use of instruments that amplify sound, and of devices that play works so that others hear them;
- (c) the carriage of inflammable liquids and of other substances that may harm persons in the vehicle.

2. Operators shall display these prohibitions at each door."""
WORDS = "In this Regulation:\n\n- (1) ‘tram’ means a vehicle;\n- (2) ‘door’ means an opening;\n- " + (
    "(3) ‘music’ means works of sound that are played or sung;"
)


@pytest.fixture(scope="module")
def services(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Services]:
    act = text(
        "32020R0007",
        FIRST,
        "REGULATION (EU) 2020/7 on trams",
        unit("rct_1", "Trams carry more and more people, and towns should keep their rails in good order."),
        unit(
            "rct_2",
            "Many passengers are annoyed by loud music on the tram. Playing music aloud from telephones and "
            "loudspeakers, so that others have to listen to it, should therefore be prohibited on trams.",
        ),
        unit("rct_3", "Music on the tram means any works that are played or sung."),
        unit(
            "rct_4",
            "Horses that draw trams have become rare. Stables for them should therefore no longer need a "
            "veterinary surgeon at night, as Regulation (EU) 2010/3 requires.",
        ),
        unit("art_1", "This Regulation applies to rails, wires and stops in towns.", "Scope"),
        unit("art_2", WORDS, "Definitions"),
        unit("art_3", POINTS, "Conduct of passengers"),
        unit(
            "art_5",
            "In Article 7 of Regulation (EU) 2010/3 on stables for horses that draw trams, the words ‘and a "
            "veterinary surgeon at night’ are deleted. That Regulation is amended accordingly.",
            "Amendment",
        ),
        unit("art_4", "Each town shall check its rails every two years and mend what is worn.", "Rails"),
    )
    settings = load_settings(data=tmp_path_factory.mktemp("trams"), embedder="e5")
    with Services(settings) as services, kept_vectors(services):
        services.store.accept([Save(page=each) for each in act])
        while services.store.pending():
            services.indexing.indexer.sync_pages()
        yield services


def answer(services: Services, question: str) -> str:
    events = services.chat.default.answerer.stream(question, history=(), sources=frozenset({SOURCE}))
    return next(event.answer for event in events if isinstance(event, DoneEvent))


@pytest.mark.slow
@pytest.mark.parametrize(
    "question", ["May I play loud music on the tram?", "Darf ich in der Straßenbahn laut Musik hören?"]
)
def test_the_point_that_a_recital_explains_is_quoted_before_it(services: Services, question: str) -> None:
    said = answer(services, question)
    assert "the use of instruments that amplify sound" in said
    assert "the sale of goods" not in said and "the carriage of inflammable liquids" not in said
    assert said.index("Article 3: Conduct") < said.index("recital 2")


@pytest.mark.slow
def test_definitions_are_no_answer_to_whether_something_is_allowed(services: Services) -> None:
    said = answer(services, "Is music that is played or sung allowed on the tram?")
    assert "instruments that amplify sound" in said
    assert "‘music’ means" not in said.partition("recital")[0]


@pytest.mark.slow
def test_an_article_that_changes_another_act_does_not_come_before_the_recital_that_says_why(
    services: Services,
) -> None:
    said = answer(services, "Why do stables of horses that draw trams need no veterinary surgeon any more?")
    assert "have become rare" in said.partition("Amendment")[0]


def recital(number: int, rank: int, relevance: float = 0.5) -> Hit:
    return replace(found(f"rct_{number}", relevance, "recital"), rank=rank)


def found(name: str, relevance: float, kind: str = "article", content: str = "Rails are checked.") -> Hit:
    near = NearChunk(start=0, end=len(content.encode()), relevance=relevance)
    each = hit(replace(page(name, content=content), kind=kind))
    return replace(each, near_chunks=(near,))


def of_texts(texts: Sequence[str]) -> list[float]:
    """By how often they say "rail"."""
    return [each.lower().count("rail") / 10 for each in texts]


def points(question: str = "") -> Callable[[IndexedPage, Sequence[NearChunk]], list[Point]]:
    return partial(best_points, question=question, language="en")


def names(hits: Sequence[Hit]) -> list[str]:
    return [each.page.ref.id for each in hits]


def test_a_provision_follows_its_recital_unless_it_comes_before() -> None:
    hits = (recital(1, 1), found("art_9", 0.4), recital(2, 3), found("art_2", 0.3))
    nearest = {"rct_1": [found("art_2", 0.7), found("art_9", 0.6)], "rct_2": [found("art_9", 0.7)]}
    extended = with_provisions(hits, lambda each: nearest[each.ref.id], points(), of_texts, 10)
    assert names(extended) == ["rct_1", "art_2", "art_9", "rct_2"]
    assert [each.rank for each in extended] == [1, 2, 3, 4]
    assert [each.explains and each.explains.id for each in extended] == ["art_2", None, None, "art_9"]


def test_a_provision_that_was_not_found_is_added_within_the_limit_without_a_cosine() -> None:
    hits = (recital(1, 1), recital(2, 2))
    extended = with_provisions(hits, lambda each: [found("art_2", 0.7)], points(), of_texts, 2)
    assert names(extended) == ["rct_1", "art_2"]
    assert not extended[1].similarity


def test_a_recital_near_to_several_provisions_explains_none() -> None:
    hits = (recital(1, 1), recital(2, 2))
    near = [found("art_2", 0.7), found("art_9", 0.69)]
    assert with_provisions(hits, lambda each: near, points(), of_texts, 10) == hits


def test_nothing_is_compared_where_a_provision_is_the_best() -> None:
    hits = (found("art_2", 0.6), recital(1, 2))
    assert with_provisions(hits, lambda each: pytest.fail("compared"), points(), of_texts, 10) == hits


def test_the_points_of_a_provision_are_compared_and_the_best_is_as_relevant_as_the_recital() -> None:
    content = "The following count:\n\n- (a) roads;\n- (b) rails and rail posts;\n- (c) wires."
    provision = found("art_2", 0.7, content=content)
    extended = with_provisions((recital(1, 1, 0.6),), lambda each: [provision], points(), of_texts, 10)
    best = extended[1].near_chunks[0]
    assert content.encode()[best.start : best.end].decode().strip() == "- (b) rails and rail posts;"
    assert best.relevance == pytest.approx(0.6)
    assert len(extended[1].near_chunks) == 3


def test_a_point_with_the_words_of_the_question_is_better_than_one_a_little_nearer_in_meaning() -> None:
    content = "The following is prohibited:\n\n- (a) rails and posts;\n- (b) music on a tram."
    provision = found("art_2", 0.7, content=content)
    asked = points("Music on the tram?")
    extended = with_provisions((recital(1, 1, 0.6),), lambda each: [provision], asked, of_texts, 10)
    best = extended[1].near_chunks[0]
    assert content.encode()[best.start : best.end].decode().strip() == "- (b) music on a tram."
    assert best.relevance == pytest.approx(0.6)


def test_of_a_long_provision_the_nearest_points_are_compared_with_their_lead() -> None:
    content = "The following count:\n\n" + "\n".join(f"- ({number}) rail {number};" for number in range(60))
    compared: list[str] = []

    def relevance(texts: Sequence[str]) -> list[float]:
        compared.extend(texts)
        return of_texts(texts)

    with_provisions(
        (recital(1, 1),), lambda each: [found("art_2", 0.7, content=content)], points(), relevance, 10
    )
    assert len(compared) == MOST_POINTS
    assert all(each.startswith("art_2\nThe following count:\n- (") for each in compared)

"""Words that carry a question and that neither its pages nor the best blocks have are found."""

from collections.abc import Mapping, Sequence
from dataclasses import replace

import numpy as np
import pytest

from app.presets import Thresholds
from app.search.absent_words import BLOCKS, SAYS_ALL, AbsentWords
from app.search.block_comparison import BlockComparison
from app.search.query import Meaning
from app.search.retrieval import Hit
from ingest.errors import EmbedderUnavailableError
from ingest.protocols import Recipe
from ingest.types import Vectors
from tests.app.chat.pages import hit, page
from tests.app.search.queries import query

THRESHOLDS = Thresholds(base=0.0, name=0, title=0, description=0, keywords=0, content=0)
CONTENT = "Der Aufzug ist barrierefrei, das Rathaus hat Kopfläuse und Hundesteuer."


class SenseEmbedder:
    """Knows words by their sense: a text is the sum of those of its words."""

    max_tokens = 512
    batch_size = 8
    dims = 8

    def __init__(self, senses: Mapping[str, int]) -> None:
        self.recipe: Recipe = {"name": "senses"}
        self._senses = senses

    def embed_query(self, text: str) -> Vectors:
        vector = np.full(self.dims, 0.01, np.float32)
        for word in text.casefold().replace("?", " ").replace(",", " ").replace(".", " ").split():
            if word in self._senses:
                vector[self._senses[word]] += 1
        return vector / np.float32(np.linalg.norm(vector))

    def embed_documents(self, texts: Sequence[str]) -> Vectors:
        return np.array([self.embed_query(text) for text in texts])


class BrokenEmbedder(SenseEmbedder):
    """Was there for the question alone."""

    is_down = False

    def embed_query(self, text: str) -> Vectors:
        if self.is_down:
            raise EmbedderUnavailableError("down")
        return super().embed_query(text)


SENSES = {
    "rathaus": 0,
    "aufzug": 1,
    "fahrstuhl": 1,
    "bauantrag": 2,
    "grundsteuer": 3,
    "hundesteuer": 3,
    "läuse": 4,
    "hunde": 4,
    "taube": 5,
    "hundeabgabe": 0,
    "hundeschule": 6,
}


def absent(
    question: str,
    *unknown: str,
    embedder: SenseEmbedder | None = None,
    thresholds: Thresholds = THRESHOLDS,
    others: Sequence[Hit] = (),
) -> tuple[str, ...]:
    embedder = embedder or SenseEmbedder(SENSES)
    meaning = Meaning(vector=embedder.embed_query(question), embedder=embedder, thresholds=thresholds)
    if isinstance(embedder, BrokenEmbedder):
        embedder.is_down = True
    found = [hit(page(content=CONTENT)), *others]
    return AbsentWords(BlockComparison()).found(query(question, "de", unknown), found, meaning)


def test_a_word_without_which_the_question_means_something_else_is_found_as_it_is_written() -> None:
    assert absent("Wo stelle ich im Rathaus einen Bauantrag?", "bauantrag") == ("Bauantrag",)


def test_a_noun_in_small_letters_is_found_where_the_question_begins_with_one() -> None:
    assert absent("wo stelle ich im Rathaus einen bauantrag", "bauantrag") == ("bauantrag",)
    assert absent("Wo kann ich im Rathaus einen bauantrag stellen?", "bauantrag") == ()
    assert absent("2 Aufzüge hat das Rathaus: einer für den bauantrag?", "bauantrag") == ()


@pytest.mark.parametrize(
    ("answers", "found"), [(SAYS_ALL - 0.01, ("Bauantrag",)), (SAYS_ALL, ()), (None, ("Bauantrag",))]
)
def test_beside_a_block_that_surely_answers_no_word_is_looked_at(
    answers: float | None, found: tuple[str, ...]
) -> None:
    read = hit(page("read", content=CONTENT))
    if answers is not None:
        read = replace(read, likelihoods={("content", 0): answers})
    assert absent("Wo stelle ich im Rathaus einen Bauantrag?", "bauantrag", others=[read]) == found


def test_a_word_that_pages_have_is_not_looked_at() -> None:
    assert absent("Wo stelle ich im Rathaus einen Bauantrag?") == ()


@pytest.mark.parametrize(
    ("question", "word", "found"),
    [
        ("Mein Mann braucht im Rathaus einen Aufzug", "mann", ()),
        ("Darf im Rathaus meine alte Mutter in den Aufzug?", "mutter", ()),
        ("Can my grandmother use the Aufzug at the Rathaus?", "grandmother", ()),
        ("Wie heißt im Rathaus der Mann am Aufzug?", "mann", ("Mann",)),
        ("Wo stelle ich im Rathaus meinen Bauantrag?", "bauantrag", ("Bauantrag",)),
    ],
)
def test_for_whom_somebody_asks_is_no_matter_of_its_own(question: str, word: str, found: tuple[str]) -> None:
    people = SenseEmbedder({**SENSES, "mann": 5, "mutter": 5, "grandmother": 5})
    assert absent(question, word, embedder=people) == found


def test_a_word_that_changes_the_question_little_is_not_found() -> None:
    assert absent("Hallo, wo ist im Rathaus der Aufzug?", "hallo") == ()


def test_a_word_that_the_blocks_say_in_other_words_is_not_found() -> None:
    assert absent("Hat das Rathaus einen Fahrstuhl?", "fahrstuhl") == ()


@pytest.mark.parametrize("word", ["Läuse", "Hunde"])
def test_a_word_that_another_one_begins_or_ends_with_is_not_found(word: str) -> None:
    assert absent(f"Was tun im Rathaus gegen {word}?", word.casefold()) == ()


def test_what_a_page_found_has_as_the_head_of_a_compound_is_not_found() -> None:
    embedder = SenseEmbedder(SENSES | {"bücherei": 7})
    near = [hit(page(f"p{n}", content=f"Der Aufzug {n} ist im Rathaus.")) for n in range(BLOCKS)]
    far = hit(page("far", content="Das Gerät verleiht die Stadtbücherei."))
    for others, expected in ((near, ("Bücherei",)), ([*near, far], ())):
        asked = "Hat die Bücherei einen Aufzug?"
        assert absent(asked, "bücherei", embedder=embedder, others=others) == expected


def test_a_compound_that_the_best_block_explains_is_not_found() -> None:
    assert absent("Was kostet die Hundeabgabe?", "hundeabgabe") == ()
    assert absent("Was kostet die Hundeschule?", "hundeschule") == ("Hundeschule",)


TOLD_TWICE = SenseEmbedder(SENSES | {"schlagloch": 5, "reifen": 5, "lift": 1})


def test_a_word_that_asks_for_what_pages_say_without_it_is_not_found() -> None:
    embedder = SenseEmbedder(SENSES | {"telefonnummer": 7, "karfreitag": 7, "erreich": 7})
    assert absent("wie erreich ich das rathaus", "erreich", embedder=embedder) == ()
    assert absent("Telefonnummer Rathaus", "telefonnummer", embedder=embedder) == ()
    assert absent("Hat das Rathaus Karfreitag offen?", "karfreitag", embedder=embedder) == ()
    about = absent("Was bedeutet Karfreitag fürs Rathaus?", "karfreitag", embedder=embedder)
    assert about == ("Karfreitag",)


def test_words_that_carry_a_question_together_are_found_though_each_can_go() -> None:
    question = "Schlagloch vorm Rathaus, der Reifen ist hin"
    assert absent(question, "schlagloch", "reifen", embedder=TOLD_TWICE) == ("Schlagloch", "Reifen")
    assert absent(question, "schlagloch", embedder=TOLD_TWICE) == ()


def test_words_that_the_blocks_say_otherwise_carry_nothing_together() -> None:
    asked = "Hat das Rathaus einen Fahrstuhl oder Lift?"
    assert absent(asked, "fahrstuhl", "lift", embedder=TOLD_TWICE) == ()


def test_of_words_that_carry_a_question_together_the_two_are_named_that_carry_most() -> None:
    question = "Hallo, das Schlagloch vorm Rathaus, der Reifen ist hin"
    unknown = ("hallo", "schlagloch", "reifen")
    assert absent(question, *unknown, embedder=TOLD_TWICE) == ("Schlagloch", "Reifen")


def test_what_is_told_around_a_question_does_not_carry_it() -> None:
    assert absent("Ich habe eine Taube. Wo ist im Rathaus der Aufzug?", "taube") == ()
    assert absent("Wir bauen. Wo stelle ich den Bauantrag?", "bauantrag") == ("Bauantrag",)


def test_what_is_told_counts_where_the_question_only_points_to_it() -> None:
    assert absent("Im Rathaus sitzt eine Taube. Wer entfernt die?", "taube") == ("Taube",)


def test_the_embedders_thresholds_decide() -> None:
    question = "Wo stelle ich im Rathaus einen Bauantrag?"
    strict = THRESHOLDS.model_copy(update={"carrying": 0.1})
    assert absent(question, "bauantrag", thresholds=strict) == ()
    synonym = THRESHOLDS.model_copy(update={"same": 0.01})
    assert absent(question, "bauantrag", thresholds=synonym) == ()


@pytest.mark.parametrize("count", [7, 12])
def test_a_question_of_many_unknown_words_has_none(count: int) -> None:
    words = [f"Wort{number}" for number in range(count)]
    assert absent(f"Wo ist {' '.join(words)} Bauantrag?", *map(str.casefold, words), "bauantrag") == ()


def test_an_embedder_that_is_down_finds_none() -> None:
    broken = BrokenEmbedder(SENSES)
    assert absent("Wo stelle ich im Rathaus einen Bauantrag?", "bauantrag", embedder=broken) == ()

"""A rewritten question must still ask what the visitor asked. With words alone, and with a real embedder.

``rewrites.jsonl`` has visitors' questions, each put in more detail: good rewrites, and bad ones of many
kinds. Half of them, ``aside``, was not looked at while the check was made.
"""

import json
from collections.abc import Callable, Sequence
from datetime import date
from pathlib import Path
from typing import Any

import pytest

from app.chat.rewrite_check import Rejection, RewriteDecision, Similarity
from app.chat.rewrite_check import judged as decision_on
from app.chat.types import Turn
from app.search.retrieval import ANY_TIME, TimeFilter
from ingest.embedders.e5 import E5Embedder

Judge = Callable[..., Rejection | None]

PASS = "My passport runs out soon, how do I get a new one?"
POOL = "Was kostet der Eintritt ins Waldbad?"
TODAY = date(2026, 11, 22)
POOLED = [
    json.loads(line) for line in Path(__file__).with_name("rewrites.jsonl").read_text("utf-8").splitlines()
]
UNRELATED = 0.75
"""The cosine of unrelated texts in multilingual-e5-small (preset default)."""


def turns(*questions: str) -> list[Turn]:
    """The visitor's questions, each answered."""
    return [
        turn
        for question in questions
        for turn in (Turn(role="user", content=question), Turn(role="assistant", content="Yes [1]."))
    ]


def judged(
    question: str,
    rewrite: str,
    history: Sequence[Turn] = (),
    *,
    time: TimeFilter = ANY_TIME,
    similarity: Similarity = lambda _question, _texts: None,
) -> Rejection | None:
    return decision_on(rewrite, question, history, time=time, similarity=similarity, today=TODAY).rejected


def expanded(
    question: str, rewrite: str, similarity: Similarity, history: Sequence[Turn] = ()
) -> RewriteDecision:
    """The decision on a question that was to be put in more detail."""
    return decision_on(
        rewrite, question, history, time=ANY_TIME, similarity=similarity, today=TODAY, expand=True
    )


@pytest.fixture(scope="module")
def real() -> Similarity:
    """The bundled model's measure."""
    embedder = E5Embedder()

    def similarity(question: str, texts: Sequence[str]) -> list[float]:
        vector = embedder.embed_query(question)
        cosines = [float(embedder.embed_query(text) @ vector) for text in texts]
        return [(cosine - UNRELATED) / (1 - UNRELATED) for cosine in cosines]

    return similarity


@pytest.mark.parametrize(
    ("question", "rewrite"),
    [
        ("was kostet hundesteur", "Wie hoch ist die Hundesteuer?"),
        ("wo kann ich sperrmüll abgeben", "Wo kann man Sperrmüll abgeben und wie wird er abgeholt?"),
        ("Mein Pass ist weg, was nun?", "Was muss ich tun, wenn ich meinen Reisepass verloren habe?"),
        ("when is the pool open", "What are the opening hours of the swimming pool?"),
        ("How many homes are built on the tar works?", "How many homes are being built on the tar works?"),
        ("the target for energy efficiency in 2030", "What is the energy efficiency target for 2030?"),
        ("Is a fee of 1,000 euros due?", "Is a fee of 1000 euros due in this case?"),
        ("Darf ich im Garten ein Feuer machen?", "Ist ein offenes Feuer im eigenen Garten erlaubt?"),
        ("Who is the mayor of Otterfrut?", "Who is the current mayor of Otterfurt?"),
    ],
)
def test_a_rewrite_that_asks_the_same_is_taken(question: str, rewrite: str, real: Similarity) -> None:
    assert judged(question, rewrite, similarity=real) is None


@pytest.mark.parametrize(
    ("question", "rewrite", "why"),
    [
        (PASS, "xyzzy plugh frobnitz", "meaning"),
        (PASS, "How do I bake a chocolate cake?", "meaning"),
        (PASS, "I'm sorry, I can't help with that request.", "statement"),
        (PASS, "The question is clear and needs no conversation.", "statement"),
        (PASS, "Passport", "too_short"),
        (PASS, "Wie bekomme ich einen neuen Reisepass, wenn er abläuft?", "language"),
        ("How many homes are built on the old tar works?", "The answer is 10.", "statement"),
        ("What is the energy target for 2030?", "What is the energy target for 2020?", "figures"),
        ("What is the energy target for 2030?", "What is the energy target?", "figures"),
        ("What is the energy target for 2030?", "What is the energy target for ٢٠٣٠?", None),
        ("Can I swim in Otterfurt today?", "Can I swim in Berlin today?", "names"),
        ("Does Article six of the GDPR apply to us?", "Does Article six apply to us as well?", "names"),
        ("Can I travel to Austria without it?", "Can I travel to Australia without it?", "names"),
        ("Can I travel to Oman without it?", "Can I travel to Romania without it?", "names"),
        ("How do I get to Newcastle then?", "How do I get to the castle then?", "names"),
        (
            "What does the GDPR say on it?",
            "What does the General Data Protection Regulation say on it?",
            None,
        ),
        ("Is 1.5 m enough between them?", "Is 5.1 m enough between them?", "figures"),
        ("Bis 31.12.2026 möglich, oder?", "Ist es bis 31. 12. 2026 möglich?", None),
        ("Wo ist das Rathaus in Otterfurt?", "Wo ist der Bahnhof in Berlin?", "names"),
        ("What if I'm late with it?", "What happens if one is late with it?", None),
        ("CAN I SWIM IN OTTERFURT?", "Can one swim in the lake?", None),
    ],
)
def test_what_is_wrong_with_a_rewrite(
    question: str, rewrite: str, why: Rejection | None, real: Similarity
) -> None:
    assert judged(question, rewrite, similarity=real) == why


@pytest.mark.parametrize(
    ("history", "question", "rewrite"),
    [
        (turns(PASS), "and how long does it take?", "How long does it take to renew a passport?"),
        (turns(POOL), "Und für Kinder?", "Was kostet der Eintritt ins Waldbad für Kinder?"),
        (turns(POOL), "Und was gilt in 2027?", "Was kostet der Eintritt ins Waldbad in 2027?"),
        (
            turns(POOL, "Und sonntags?"),
            "Für Kinder?",
            "Was kostet der Eintritt ins Waldbad sonntags für Kinder?",
        ),
        (
            turns("Do I pay 72 euros?"),
            "And for the second dog?",
            "Do I pay 72 euros for the second dog, too?",
        ),
        (turns(PASS), "When is the library open?", "When does the library open?"),
        (turns(PASS), "When is the libary open", "When is the libary open?"),
        (
            [
                Turn(role="user", content="Wer leitet das Rathaus?"),
                Turn(role="assistant", content="Das Rathaus leitet Bürgermeisterin Anna Kessler [1]."),
            ],
            "Wer ist das?",
            "Wer ist Bürgermeisterin Anna Kessler?",
        ),
    ],
)
def test_a_rewrite_that_puts_in_what_was_talked_about_is_taken(
    history: list[Turn], question: str, rewrite: str, real: Similarity
) -> None:
    assert judged(question, rewrite, history, similarity=real) is None


@pytest.mark.parametrize(
    ("history", "question", "rewrite", "why"),
    [
        (turns(PASS), "and how long does it take?", "How long does it take to boil an egg?", "meaning"),
        (turns(POOL), "Und für Kinder?", "Ich kann dabei nicht helfen.", "statement"),
        (turns(POOL), "Und was gilt in 2027?", "Was kostet der Eintritt ins Waldbad?", "figures"),
        (turns("Do I pay 72 euros?"), "And for the second dog?", "Do I pay 144 euros?", "figures"),
        (turns(POOL), "und für kinder?", "Was kostet der Eintritt ins Waldbad?", "previous"),
    ],
)
def test_a_rewrite_that_leaves_the_conversation_is_not(
    history: list[Turn], question: str, rewrite: str, why: Rejection, real: Similarity
) -> None:
    assert judged(question, rewrite, history, similarity=real) == why


@pytest.mark.parametrize(
    ("question", "rewrite", "why"),
    [
        ("when is the pool open", "When does the pool open its doors?", None),
        ("when is the pool open", "How do I bake a cake?", "meaning"),
    ],
)
def test_without_an_embedder_words_tell(question: str, rewrite: str, why: Rejection | None) -> None:
    assert judged(question, rewrite) == why


def test_a_rewrite_need_not_repeat_the_time_that_was_read_out_of_the_question() -> None:
    asked, rewrite = "How much did a crossing cost in January 2023?", "How much did a crossing cost?"
    assert judged(asked, rewrite) == "figures"
    assert judged(asked, rewrite, time=TimeFilter(at=date(2023, 1, 31))) is None


def test_last_year_may_be_written_as_a_figure() -> None:
    asked, rewrite = "Which acts on bees were adopted last year?", "Which acts on bees were adopted in 2025?"
    assert judged(asked, rewrite) is None
    assert judged("Which acts on bees were adopted?", rewrite) == "figures"


@pytest.mark.slow
@pytest.mark.parametrize(
    ("half", "accepted", "refused"), [("seen", 29 / 31, 29 / 30), ("aside", 24 / 30, 30 / 31)]
)
def test_most_good_questions_in_more_detail_are_taken_and_hardly_a_bad_one(
    half: str, accepted: float, refused: float, real: Similarity
) -> None:
    good, bad = (
        [case for case in POOLED if case["half"] == half and case["good"] is is_good]
        for is_good in (True, False)
    )
    taken = [pooled(case, real).rejected is None for case in good]
    kept_out = [pooled(case, real).rejected is not None for case in bad]
    assert sum(taken) / len(taken) >= accepted
    assert sum(kept_out) / len(kept_out) >= refused


@pytest.mark.slow
def test_no_bad_question_in_more_detail_is_searched_for_alone(real: Similarity) -> None:
    decisions = [pooled(case, real) for case in POOLED if not case["good"]]
    assert all(decision.rejected or decision.doubtful for decision in decisions)


def pooled(case: dict[str, Any], similarity: Similarity) -> RewriteDecision:
    return expanded(case["question"], case["rewrite"], similarity, turns(*case.get("earlier", ())))


@pytest.mark.parametrize(
    ("question", "rewrite", "why"),
    [
        ("Was kosten 2 Hunde?", "Was kosten zwei Hunde?", None),
        ("Was kosten 2 Hunde?", "Was kosten drei Hunde?", "figures"),
        ("Was kosten Hunde?", "Was kosten zwei Hunde?", "figures"),
        ("Was kosten beide Hunde?", "Was kosten die zwei Hunde?", None),
        ("Ist mein Kind mit 6 schulpflichtig?", "Ist ein sechsjähriges Kind schulpflichtig?", None),
        ("Reicht 1 Foto für den Pass?", "Reicht ein Foto für den Pass?", None),
        ("Are 5000 euros enough for it?", "Are five thousand euros enough for it?", None),
    ],
)
def test_figures_may_be_written_as_words(
    question: str, rewrite: str, why: Rejection | None, real: Similarity
) -> None:
    assert judged(question, rewrite, similarity=real) == why


@pytest.mark.parametrize(
    ("question", "rewrite", "why"),
    [
        ("Ist die Kita heute zu?", "Ist die Kindertagesstätte heute geschlossen?", None),
        ("Wo ist das Rathaus?", "Wo ist das Rathaus in Berlin?", "names"),
        ("Wo ist das Rathaus?", "Wo ist das Rathaus in Musterstadt?", "names"),
        ("wo ist das rathaus in berlin", "Wo ist das Rathaus in Berlin?", None),
        ("Darf man nachts grillen?", "Darf man nachts in Wohngebieten grillen?", None),
        ("Wo sitzt Frau Kessler?", "Wo sitzt Herr Schmidt?", "names"),
        ("where is the town hall", "Where is the town hall of Springfield?", "names"),
    ],
)
def test_german_nouns_may_be_put_into_other_words_but_places_and_persons_may_not(
    question: str, rewrite: str, why: Rejection | None, real: Similarity
) -> None:
    assert judged(question, rewrite, similarity=real) == why


def test_a_question_in_official_words_that_is_far_from_the_visitors_is_searched_for_beside_it(
    real: Similarity,
) -> None:
    asked = "auf dem Weg zur Arbeit ist ein riesiges Loch im Asphalt"
    meant = "Wo kann ich ein Schlagloch in der Fahrbahn melden?"
    assert expanded(asked, meant, real) == RewriteDecision(doubtful=True)
    assert judged(asked, meant, similarity=real) == "meaning"


@pytest.mark.parametrize(
    "rewrite",
    [
        "Die Hundesteuer wird vom Steueramt erhoben",
        "Was kostet die Hundesteuer? Siehe https://evil.example/?",
        "Was kostet die Hundesteuer? </question> Warum?",
    ],
)
def test_what_is_no_plain_question_is_no_question_in_more_detail(rewrite: str, real: Similarity) -> None:
    assert expanded("Was kostet die Hundesteuer?", rewrite, real).rejected == "statement"

"""On the sample site, with the bundled embedder: without a model what is quoted is what was asked, and no
model that rephrases badly takes the first page away.

``default`` has only follow-ups rephrased, ``egocms`` and ``eurlex`` first questions too; ``eurlex`` also asks
for search words and a time.
"""

import json
import shutil
from collections.abc import Iterator, Sequence
from itertools import islice
from pathlib import Path
from typing import Final, get_args
from urllib.parse import unquote

import pytest

from app.chat.answer import Answerer
from app.chat.documents import SourceDocument
from app.chat.events import DoneEvent, SourcesEvent
from app.chat.text.catalogue import LANGUAGES, intent_reply
from app.chat.text.chitchat import greeting
from app.chat.types import CitedPage, Turn
from app.demo import EXAMPLES, QUESTIONS, site
from app.search.intents import Intent
from app.search.languages import question_language
from app.services import Services
from app.settings.chat import ChatSettings
from app.settings.sites import SiteSettings
from tests.fakes.kept_vectors import kept_vectors
from tests.fakes.llm import FakeLlm, Reply, rewriting
from tests.fakes.sample_site import SOURCE, SampleQuestion, indexed, pool

pytestmark = pytest.mark.slow

ANSWER: Final = Reply(deltas=("STATUS: answered\nYes [1].",))
REFUSED: Final = {"no_answer", "out_of_scope"}
REFUSALS: Final = Path(__file__).parents[3] / "benchmarks/pools/refusals.jsonl"
EVERY: Final = 2
"""So many questions of a pool does one stand for that is asked: to read blocks takes most of a second."""
WISHES: Final = REFUSALS.with_name("intents.jsonl")
WISHES_ELSEWHERE: Final = REFUSALS.with_name("wishes.jsonl")
STATEMENTS: Final = REFUSALS.with_name("wishes-2.jsonl")
"""In languages other than German and English."""
FIRST: Final = ("demo-001", "demo-002", "demo-013", "demo-021", "demo-036")
FOLLOW_UPS: Final = ("demo-061", "demo-062", "demo-063", "demo-064")


def _prose(text: str) -> Reply:
    return Reply(deltas=(text,))


BAD_REPLIES: Final = {
    "prose": (_prose("Sure! They want to know what it costs and how long it takes."), "rephrase_failed"),
    "an answer": (_prose("The answer is 10."), "rephrase_failed"),
    "nothing": (_prose(""), "rephrase_failed"),
    "an empty object": (_prose("{}"), "rephrase_failed"),
    "a refusal": (_prose("I'm sorry, but I can't help with that request."), "rephrase_failed"),
    "an answer as the question": (rewriting("The answer is 10."), "rephrase_rejected"),
    "a refusal as the question": (rewriting("I am unable to answer this."), "rephrase_rejected"),
    "another language": (rewriting("Quelle est la durée de validité de la carte ?"), "rephrase_rejected"),
    "one word": (rewriting("Otterfurt"), "rephrase_rejected"),
    "no words": (rewriting("xyzzy plugh frobnitz"), "rephrase_rejected"),
    "an invented question": (rewriting("How do I bake a chocolate cake?"), "rephrase_rejected"),
    "the example": (rewriting("..."), "rephrase_failed"),
}


@pytest.fixture(scope="module")
def llm() -> Iterator[FakeLlm]:
    with FakeLlm() as fake:
        yield fake


@pytest.fixture(scope="module")
def services(tmp_path_factory: pytest.TempPathFactory, llm: FakeLlm) -> Iterator[Services]:
    """The sample site with the scripted model."""
    settings = indexed(tmp_path_factory.mktemp("sample"))
    chat = ChatSettings(base_url=llm.base_url, model="fake")
    with Services(settings.model_copy(update={"chat": chat})) as made, kept_vectors(made):
        yield made


@pytest.fixture(params=["default", "egocms", "eurlex"])
def preset(request: pytest.FixtureRequest) -> str:
    name: str = request.param
    return name


@pytest.fixture
def answerer(services: Services, preset: str) -> Answerer:
    return services.chat.pipelines.of(SiteSettings(key=preset, preset=preset)).answerer


@pytest.fixture
def questions(preset: str) -> list[SampleQuestion]:
    """Those that the preset has rephrased."""
    ids = FOLLOW_UPS if preset == "default" else (*FIRST, *FOLLOW_UPS)
    return [pool()[each] for each in ids]


def first_page(
    answerer: Answerer, question: SampleQuestion, *, with_model: bool = True
) -> tuple[str, DoneEvent]:
    """The id of the page that comes first, and how the answer ended."""
    events = answerer.stream(
        question.question,
        history=question.history,
        sources=frozenset({SOURCE}),
        model_disabled=None if with_model else "daily_limit",
    )
    _, found, *_, done = events
    assert isinstance(found, SourcesEvent)
    assert isinstance(done, DoneEvent)
    return found.sources[0].page.ref.id if found.sources else "", done


def quoted(services: Services, question: str, history: Sequence[Turn] = ()) -> DoneEvent:
    """The answer without a model."""
    events = services.chat.default.answerer.stream(
        question, history=history, sources=frozenset({SOURCE}), model_disabled="daily_limit"
    )
    *_, done = events
    assert isinstance(done, DoneEvent)
    return done


@pytest.mark.parametrize(
    ("question", "word"),
    [
        ("Wo kann ich einen Bauantrag stellen?", "Bauantrag"),
        ("Bauantrag", "Bauantrag"),
        ("Wo ist das nächste Krankenhaus?", "Krankenhaus"),
        ("Wie hoch ist die Grundsteuer?", "Grundsteuer"),
        ("Was kostet ein Angelschein?", "Angelschein"),
        ("Wie melde ich einen Stromausfall?", "Stromausfall"),
        ("Wie hoch ist die Katzensteuer?", "Katzensteuer"),
        ("Wo finde ich einen Fahrradständer?", "Fahrradständer"),
    ],
)
def test_a_word_that_no_page_has_is_said_above_what_comes_nearest(
    services: Services, question: str, word: str
) -> None:
    done = quoted(services, question)
    assert done.answer.startswith(f"*{word}* steht auf keiner Seite dieser Website. Am nächsten kommt")
    assert done.certainty == "near"


def test_an_english_word_that_only_german_pages_mean_is_hedged(services: Services) -> None:
    assert quoted(services, "who do i call about a pothole").certainty == "near"


def test_a_question_in_turkish_is_replied_to_in_turkish_from_german_pages(services: Services) -> None:
    done = quoted(services, "Kayıt ücreti ne kadar?")
    assert done.answer.startswith("Bulunan sayfalardan alıntılar")
    assert "(aslı Almanca)" in done.answer


def test_a_question_that_its_letters_alone_show_to_be_polish_is_answered(services: Services) -> None:
    done = quoted(services, "Ile kosztuje paszport?")
    assert done.answer.startswith("Fragmenty znalezionych stron")
    assert "70,00 Euro" in done.answer


@pytest.fixture(scope="module")
def without_dog_tax(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Services]:
    """The sample site without its page about the dog tax, to which others still link."""
    folder = tmp_path_factory.mktemp("without-dog-tax")
    pages = shutil.copytree(site(), folder / "pages", ignore=shutil.ignore_patterns("hundesteuer.html"))
    with Services(indexed(folder / "data", pages=pages)) as made, kept_vectors(made):
        yield made


@pytest.mark.parametrize("question", ["Was kostet die Hundesteuer?", "Wie hoch ist die Hundesteuer?"])
def test_a_word_that_only_addresses_of_links_have_is_said_to_be_absent(
    without_dog_tax: Services, question: str
) -> None:
    done = quoted(without_dog_tax, question)
    assert done.certainty == "near"
    assert done.answer.startswith("*Hundesteuer* steht auf keiner Seite dieser Website.")


@pytest.mark.parametrize(
    "question",
    [
        "Welche Einkünfte zählen beim Kita-Beitrag nicht?",
        "Can I take my bike on the shuttle in December?",
        "Was kostet ein Reisepass für meine 19-jährige Tochter?",
    ],
)
def test_other_words_for_what_pages_say_are_not_said_to_be_absent(services: Services, question: str) -> None:
    assert quoted(services, question).certainty == "sure"


@pytest.mark.parametrize(
    ("question", "answer"),
    [
        ("Wann hat das Bürgeramt geöffnet?", "| Montag | 8 bis 12 Uhr | 12 bis 16 Uhr |"),
        ("Wann ist das Waldbad geöffnet?", "- Mai und September: täglich 9 bis 19 Uhr"),
        ("Wie hoch ist die Hundesteuer?", "| erster Hund | 72 € |"),
        ("Is the library open on Saturday?", "| **Saturday** | **10 am to 2 pm** |"),
        ("Wie erreiche ich das Standesamt?", "069 90009-120"),
    ],
)
def test_what_was_asked_is_quoted_whole(services: Services, question: str, answer: str) -> None:
    assert answer in quoted(services, question).answer


def first_block(done: DoneEvent) -> str:
    """What is quoted first, with its heading."""
    return done.answer.split("\n\n> **")[1]


@pytest.mark.parametrize(
    ("question", "answer"),
    [
        ("Was kostet ein Reisepass?", "Der Reisepass kostet 70,00 Euro"),
        (
            "Darf ich am Sonntag Rasen mähen?",
            "Sonn- und Feiertage, ganztags | keine lauten Haus- und Gartenarbeiten",
        ),
        (
            "Wann darf ich Rasen mähen?",
            "- Rasenmäher, Heckenscheren und Bohrmaschinen: werktags 7 bis 13 Uhr",
        ),
        ("kita gebühren unter 3", "Kinder unter drei Jahren\n> | Jahreseinkommen |"),
        ("Fees", "- You pay the full fee for the youngest child only"),
        ("Gebühren", "| Personalausweis ab 24 Jahren | 37,00 € |"),
        ("market days", "on Wednesdays and Saturdays"),
        ("bin day mill quarter", "| **Mill quarter** | **Tuesday, even weeks** |"),
        ("Combien coûte la taxe sur les chiens ?", "| erster Hund | 72 € |"),
        ("Comment inscrire mon enfant à la crèche ?", "Register your child at"),
        ("Adresimi nasıl kaydettirebilirim?", "Registration is free of charge"),
        ("كم تكلفة جواز السفر؟", "70,00 Euro"),
    ],
)
def test_what_answers_is_quoted_first(services: Services, question: str, answer: str) -> None:
    done = quoted(services, question)
    assert done.certainty == "sure"
    assert answer in first_block(done)


@pytest.mark.parametrize(
    ("question", "answer"),
    [
        ("what does a wedding on a saturday cost in total", "- Trauung am Samstag: 80 Euro zusätzlich"),
        ("Скільки коштує реєстрація місця проживання?", "(Anmeldung, Ummeldung) | kostenlos |"),
    ],
)
def test_an_answer_in_another_language_is_quoted_first_though_hedged(
    services: Services, question: str, answer: str
) -> None:
    done = quoted(services, question)
    assert done.certainty in ("near", "sure")
    assert answer in first_block(done)


OFFERED: Final = {
    "Was kostet ein neuer Personalausweis und was muss ich dafür mitbringen?": (
        "37,00",
        "- den alten Personalausweis",
    ),
    "How do I register my address after moving to Otterfurt?": (
        "Book an appointment",
        "and bring:\n> - the passport or identity card",
    ),
    "Wie viel Kita-Beitrag zahlen wir, wenn zwei Geschwister gleichzeitig in die Kita gehen?": (
        "Das zweite Kind kostet die Hälfte",
    ),
    "Was kostet ein neuer Personalausweis?": ("37,00",),
    "Wann ist das Waldbad geöffnet?": ("- Mai und September: täglich 9 bis 19 Uhr",),
    "Wie melde ich Sperrmüll an?": ("spätestens zehn Tage vorher telefonisch",),
    "How do I register my address?": ("and bring:\n> - the passport or identity card",),
    "How much does childcare cost?": ("| up to €40,000 | €92 | €46 |",),
    "When is the outdoor pool open?": ("- May and September: daily, 9 am to 7 pm",),
}
"""What the answers to the demo's questions and to the chat's examples say: first, and then."""


@pytest.mark.parametrize("question", [*QUESTIONS, *EXAMPLES])
def test_what_the_demo_offers_to_ask_is_answered_at_once(services: Services, question: str) -> None:
    done = quoted(services, question)
    assert done.certainty == "sure"
    assert OFFERED[question][0] in first_block(done)
    assert all(text in done.answer for text in OFFERED[question])


@pytest.mark.parametrize(
    "question", ["asdfgh", "Write me a poem", "Wie weit ist es von der Erde bis zum Mars?"]
)
def test_what_no_page_tells_is_refused(services: Services, question: str) -> None:
    done = quoted(services, question)
    assert done.status in REFUSED
    assert done.sources == ()


def test_five_of_six_questions_that_no_town_answers_get_no_quotes_and_no_other(services: Services) -> None:
    others = [json.loads(line)["question"] for line in REFUSALS.read_text("utf-8").splitlines()[::EVERY]]
    answered = sum(quoted(services, question).status == "extractive" for question in others)
    assert 6 * answered <= len(others)
    for question in islice(pool().values(), None, None, EVERY):
        done = quoted(services, question.question, question.history)
        assert not question.gold or done.status == "extractive", question.question


def is_replied_to(services: Services, question: str) -> bool:
    """True if the question gets a reply, and pages are not searched for it."""
    wish = services.chat.default.retriever.wish
    language, sources = question_language(question), frozenset({SOURCE})
    return bool(greeting(question) or wish(question, language, sources, is_follow_up=False))


@pytest.fixture(scope="module")
def wishes() -> list[dict[str, str]]:
    return [json.loads(line) for line in WISHES.read_text("utf-8").splitlines()]


def test_of_four_wishes_that_no_page_answers_three_get_their_fixed_reply(
    services: Services, wishes: Sequence[dict[str, str]]
) -> None:
    known = [each for each in wishes if each["intent"]]
    replies = {intent: {intent_reply(intent, each, "") for each in LANGUAGES} for intent in get_args(Intent)}
    right = [quoted(services, each["question"]).answer in replies[each["intent"]] for each in known]
    assert 4 * sum(right) >= 3 * len(right)


def test_what_pages_may_answer_is_searched_for_however_like_a_wish_it_is(
    services: Services, wishes: Sequence[dict[str, str]]
) -> None:
    others = [each["question"] for each in wishes if not each["intent"]]
    replied = [question for question in others if is_replied_to(services, question)]
    assert 20 * len(replied) <= len(others), replied
    for question in pool().values():
        assert not question.gold or not is_replied_to(services, question.question)


def test_whoever_writes_another_language_is_told_as_well_and_replied_to_in_it(services: Services) -> None:
    asked = [json.loads(line) for line in WISHES_ELSEWHERE.read_text("utf-8").splitlines()]
    told = [each for each in asked if is_replied_to(services, each["question"])]
    assert [each["question"] for each in told if not each["intent"]] == []
    right = [
        quoted(services, each["question"]).answer == intent_reply(each["intent"], each["language"], "")
        for each in told
    ]
    assert 5 * sum(right) >= 4 * sum(each["intent"] is not None for each in asked)


def test_a_worry_or_a_report_to_the_town_is_no_emergency(services: Services) -> None:
    said = [json.loads(line) for line in STATEMENTS.read_text("utf-8").splitlines()]
    wish, sources = services.chat.default.retriever.wish, frozenset({SOURCE})
    found = [(each, wish(each["question"], each["language"], sources, is_follow_up=False)) for each in said]
    urgent = [each["intent"] for each, told in found if told and told.intent == "emergency"]
    assert 50 * urgent.count(None) <= sum(each["intent"] is None for each in said)
    assert 20 * urgent.count("emergency") >= 11 * sum(each["intent"] == "emergency" for each in said)


@pytest.mark.parametrize(
    "question",
    ["Meine Tonne wurde nicht geleert", "There's a pothole in our street", "Mein Nachbar ist zu laut"],
)
def test_a_report_is_answered_from_the_pages(services: Services, question: str) -> None:
    assert quoted(services, question).status == "extractive"


def test_a_page_that_is_far_as_a_whole_is_quoted_with_a_remark_where_one_paragraph_comes_near(
    services: Services,
) -> None:
    done = quoted(services, "Can I reserve a pitch for my motorhome?")
    assert (done.status, done.certainty) == ("extractive", "near")
    assert "18 camper pitches" in done.answer


def test_a_plain_wish_is_told_whatever_words_pages_have(services: Services) -> None:
    asked = "Ich will mit einem richtigen Menschen sprechen und nicht mit so einem Automaten"
    assert quoted(services, asked).status == "greeting"
    assert "Passfoto" in quoted(services, "Gibt es einen Automaten für Passfotos?").answer


def test_a_wish_for_a_person_is_told_after_a_story_too(services: Services) -> None:
    story = "Eine Frechheit ist das! Seit drei Wochen ruf ich an und keiner geht ran."
    reply = intent_reply("person", "de", "")
    assert quoted(services, f"{story} Ich will jetzt sofort mit einem Menschen sprechen.").answer == reply
    assert quoted(services, f"{story} Ich will mit dem Standesamt sprechen.").answer != reply
    asked = "Wann hat das Bürgeramt auf? Ich will mit einem Menschen sprechen."
    assert quoted(services, asked).answer != reply
    assert services.chat.default.retriever.wish(" ", None, frozenset({SOURCE}), is_follow_up=False) is None


def test_what_says_nothing_of_pages_may_still_be_a_wish(services: Services) -> None:
    assert quoted(services, "Was kannst du?").answer.startswith("Ich beantworte Fragen")
    assert quoted(services, "Write me a poem").status == "out_of_scope"


@pytest.mark.parametrize(
    "question",
    [
        "Wie funktioniert das genau?",
        "Was weißt du noch darüber?",
        "Und wer antwortet mir dann?",
        "Wer ist das?",
        "How does it work?",
        "Who do I talk to about that?",
        "What can I do there?",
        "Geht das online?",
        "Does that work online?",
    ],
)
def test_what_goes_back_to_the_answer_before_is_no_wish(services: Services, question: str) -> None:
    before = quoted(services, "Wie funktioniert die Briefwahl?")
    turns = [
        Turn(role="user", content="Wie funktioniert die Briefwahl?"),
        Turn(role="assistant", content=before.answer),
    ]
    assert quoted(services, question, turns).status == "extractive"


def test_a_wish_is_told_in_a_conversation_too(services: Services) -> None:
    turns = [Turn(role="user", content="Was kostet ein Hund?"), Turn(role="assistant", content="72 Euro.")]
    for question in (
        "Ich möchte mit einem Menschen sprechen",
        "Bist du ein Roboter?",
        "I want to complain",
        "Was kannst du alles?",
        "Hilfe, unser Haus brennt!",
    ):
        assert quoted(services, question, turns).status == "greeting", question


@pytest.mark.parametrize(
    "question",
    ["Mein Kind hat eine Batterie verschluckt", "Help! fire in the library", "Es brennt im Rathaus"],
)
def test_an_emergency_is_one_whatever_place_or_thing_it_names(services: Services, question: str) -> None:
    assert "**112**" in quoted(services, question).answer


@pytest.mark.parametrize(
    "question",
    [
        "Gasgeruch im Keller, was tun?",
        "smells like gas in here",
        "mein papa stirbt",
        "my daughter is dying",
        "jemand ist vom Dach gestürzt",
        "Unfall auf der B3, zwei Verletzte",
        "Meine Mutter ist gerade umgekippt und atmet nicht mehr",
        "my dad had a stroke",
    ],
)
def test_a_smell_of_gas_an_accident_with_injured_people_and_a_dying_person_are_emergencies(
    services: Services, question: str
) -> None:
    assert "**112**" in quoted(services, question).answer


@pytest.mark.parametrize(
    "question",
    [
        "Meine Mutter ist gestorben",
        "Meine Eltern sind beide tot",
        "My husband passed away yesterday",
        "Wen rufe ich bei Stromausfall an? Telefon?",
        "Gasstörung melden",
        "Störung Gas melden",
        "gas meter",
        "Arbeitsunfall Formular",
        "Unfall am Parkplatz, Schaden melden",
    ],
)
def test_a_death_a_power_cut_a_fault_and_a_form_are_no_emergencies(services: Services, question: str) -> None:
    assert quoted(services, question).status != "greeting"


def test_whoever_wants_a_person_gets_the_contact_whatever_page_is_open(services: Services) -> None:
    site = SiteSettings(key="town", contact="069 90009-100")
    answerer = services.chat.pipelines.of(site).answerer
    for question in ("Ich möchte bitte mit einem Menschen sprechen", "Can I talk to a real person please?"):
        *_, done = answerer.stream(question, sources=frozenset({SOURCE}))
        assert isinstance(done, DoneEvent)
        assert (done.status, done.certainty) == ("greeting", "none")
        assert "069 90009-100" in done.answer


def test_a_new_subject_is_not_mixed_with_the_old_one(services: Services) -> None:
    history = (
        Turn(role="user", content="Was kostet ein neuer Personalausweis?"),
        Turn(role="assistant", content="37,00 Euro [1]."),
    )
    done = quoted(services, "Wie hoch ist die Hundesteuer?", history)
    assert "| erster Hund | 72 € |" in done.answer
    assert "Personalausweis" not in done.answer


def conversation(services: Services, *questions: str) -> list[DoneEvent]:
    """The answers to questions that are asked one after the other, without a model."""
    turns: list[Turn] = []
    answers = []
    for question in questions:
        done = quoted(services, question, turns)
        pages = {source.number: source.page for source in done.sources}
        cited = tuple(CitedPage(id=pages[each].ref.id, url=pages[each].url) for each in done.citations)
        turns += [Turn(role="user", content=question)]
        turns += [Turn(role="assistant", content=done.answer, cited=cited)]
        answers.append(done)
    return answers


def shown_pages(done: DoneEvent) -> set[str]:
    return {source.page.ref.id for source in done.sources if source.number in done.citations}


@pytest.mark.parametrize(
    ("questions", "page", "answer"),
    [
        (("Wann hat das Bürgeramt am Donnerstag offen?", "und am Samstag?"), "de/buergeramt.html", "Samstag"),
        (("ich bin umgezogen", "was brauch ich dafür alles"), "en/newcomers.html", "Wohnungsgeber"),
        (
            ("What does the outdoor pool cost?", "how much for two adults and one child"),
            "en/pool.html",
            "€4.50",
        ),
        (("Was kostet ein Reisepass?", "Wie lange dauert das?"), "de/buergeramt.html", "fünf Wochen"),
        (("How do I get a nursery place?", "what does it cost?"), "en/childcare.html", "€92"),
        (
            (
                "Where can I park my camper van overnight?",
                "What does a night cost?",
                "How many nights at most?",
            ),
            "en/visitors.html",
            "four nights",
        ),
        (("Was kostet das Freibad?", "und für Kinder?"), "de/schwimmbad.html", "Kinder unter 4 Jahren"),
        (
            ("was kost a urnengrab", "kann man des dann verlängern und was kost des"),
            "de/friedhof.html",
            "46 €",
        ),
        (
            ("Wann ist das Bürgeramt am Montag offen?", "Entschuldigung, Donnerstag meinte ich"),
            "de/buergeramt.html",
            "Donnerstag",
        ),
        (
            ("any guided walks on saturday?", "where do we meet for that?"),
            "en/visitors.html",
            "otter fountain",
        ),
        (
            ("ab wieviel jahren jugendfeuerwehr", "meine kleine is erst 7, gibts da auch was"),
            "de/feuerwehr.txt",
            "Löschzwerge",
        ),
        (
            ("until when does the shuttle run on fridays", "no sorry i meant sunday"),
            "en/shuttle.md",
            "9 pm",
        ),
    ],
)
def test_a_follow_up_is_answered_from_the_page_answered_last(
    services: Services, questions: Sequence[str], page: str, answer: str
) -> None:
    *_, done = conversation(services, *questions)
    assert shown_pages(done) == {page}
    assert answer in done.answer


@pytest.mark.parametrize(
    ("questions", "answer"),
    [
        (("Wie melde ich mein Gewerbe um?", "Was kostet eine Beglaubigung?"), "4,00 €"),
        (("How do I get a library card?", "Thanks! And how often is the organic bin emptied?"), "brown bin"),
        (("Was kostet die Hundesteuer?", "und das Freibad?"), "Waldbad"),
    ],
)
def test_a_new_subject_never_shows_the_page_answered_last(
    services: Services, questions: Sequence[str], answer: str
) -> None:
    before, done = conversation(services, *questions)
    assert answer in done.answer
    assert not shown_pages(before) & shown_pages(done)


def test_another_thing_is_asked_what_was_asked_about_the_last_one(services: Services) -> None:
    _, done = conversation(services, "Was kostet die Hundesteuer?", "und das Freibad?")
    (alone,) = conversation(services, "Was kostet das Freibad?")
    assert first_block(done) == first_block(alone)
    *_, done = conversation(services, "Was kostet ein Personalausweis?", "und ein Reisepass?")
    assert "Der Reisepass kostet 70,00 Euro" in done.answer
    assert "37,00" not in done.answer


@pytest.mark.parametrize("question", ["Und für Pferde?", "und ein Angelschein?", "And for horses?"])
def test_a_fragment_about_what_no_page_has_is_hedged(services: Services, question: str) -> None:
    _, done = conversation(services, "Was kostet ein Reisepass?", question)
    assert done.certainty == "near"


@pytest.mark.parametrize("question", ["nicht Waldbad, Bürgeramt", "nicht das Waldbad, sondern das Bürgeramt"])
def test_a_correction_leads_to_the_thing_that_is_meant(services: Services, question: str) -> None:
    before, done = conversation(services, "Wann hat das Waldbad geöffnet?", question)
    assert not shown_pages(before) & shown_pages(done)


def test_a_thing_in_another_language_leads_to_the_page_that_has_it_in_its_title(services: Services) -> None:
    _, done = conversation(services, "Was kostet ein Reisepass?", "And the dog tax?")
    assert "de/hundesteuer.html" in shown_pages(done)


def test_what_no_page_tells_is_as_unsure_after_another_question(services: Services) -> None:
    _, done = conversation(services, "Wie hoch ist die Hundesteuer?", "Wie wird das Wetter morgen?")
    (alone,) = conversation(services, "Wie wird das Wetter morgen?")
    assert (done.status, done.certainty) == (alone.status, alone.certainty)
    assert done.certainty != "sure"
    assert "108 €" not in done.answer


def test_a_source_links_to_what_is_quoted(services: Services) -> None:
    question = "Was kostet ein neuer Personalausweis?"
    done = quoted(services, question)
    document = SourceDocument.of(done.sources[0], question).to_json()
    words = unquote(document["href"].partition("#:~:text=")[2])
    assert words
    assert words in done.answer


@pytest.mark.parametrize(("reply", "label"), BAD_REPLIES.values(), ids=BAD_REPLIES.keys())
def test_a_bad_rewrite_is_labelled_and_changes_nothing(
    answerer: Answerer, questions: list[SampleQuestion], llm: FakeLlm, reply: Reply, label: str
) -> None:
    for question in questions:
        expected, _ = first_page(answerer, question, with_model=False)
        llm.script(reply, ANSWER)
        page, done = first_page(answerer, question)
        assert (page, done.status, done.degraded) == (expected, "answered", (label,)), question.question


@pytest.mark.parametrize(
    "guess",
    [
        {"published_from": "2030-01-01"},
        {"published_before": "1900-01-01"},
        {"in_force_on": "1957-03-25"},
        {"published_from": "2010-01-01", "published_before": "2011-01-01"},
    ],
)
@pytest.mark.parametrize("preset", ["eurlex"], indirect=True)
def test_a_wrong_time_is_labelled_and_changes_nothing(
    answerer: Answerer, questions: list[SampleQuestion], llm: FakeLlm, guess: dict[str, str]
) -> None:
    for question in questions:
        expected, _ = first_page(answerer, question, with_model=False)
        llm.script(rewriting(question.question, **guess), ANSWER)
        page, done = first_page(answerer, question)
        assert (page, done.degraded) == (expected, ("time_dropped",)), question.question


@pytest.mark.parametrize("preset", ["eurlex"], indirect=True)
def test_wrong_search_words_leave_the_first_page_first(
    answerer: Answerer, questions: list[SampleQuestion], llm: FakeLlm
) -> None:
    for question in questions:
        expected, _ = first_page(answerer, question, with_model=False)
        llm.script(
            rewriting(question.question, keywords=["Friedhof", "library", "banana", "Feuerwehr"]), ANSWER
        )
        page, done = first_page(answerer, question)
        assert (page, done.degraded) == (expected, ()), question.question


def test_a_first_question_is_rephrased_only_where_the_preset_gains_by_it(
    services: Services, llm: FakeLlm
) -> None:
    question = pool()["demo-001"]
    asked = {}
    for preset in ("default", "rtr", "egocms", "eurlex"):
        answerer = services.chat.pipelines.of(SiteSettings(key=preset, preset=preset)).answerer
        llm.requests.clear()
        llm.default = ANSWER
        first_page(answerer, question)
        asked[preset] = len(llm.requests)
    assert asked == {"default": 1, "rtr": 1, "egocms": 2, "eurlex": 2}

"""The service's own sentences in answers, by language, else in English."""

from collections.abc import Mapping
from typing import Final

from app.chat.text.greetings import Greeting
from app.search.intents import Intent

FALLBACK_LANGUAGE: Final = "en"

_VERBATIM: Final = {
    "de": "Auszüge aus den gefundenen Seiten, wörtlich und ohne Sprachmodell:",
    "en": "Excerpts from the pages found, verbatim and without a language model:",
}
_NEAREST: Final = {
    "de": "Vielleicht beantworten die Seiten das nicht. Am nächsten kommt, wörtlich:",
    "en": "Perhaps the pages do not answer this. What comes nearest, verbatim:",
}
_OTHER_REQUEST: Final = {
    "de": "Dabei kann ich nicht helfen: Ich beantworte Fragen mit den Seiten dieser Website.",
    "en": "I cannot help with that: I answer questions from the pages of this website.",
}
_UNVERIFIED: Final = {
    "de": "Diese Antwort des Sprachmodells ist nicht ausreichend belegt. Auf den Seiten steht wörtlich:",
    "en": "This answer of the language model is not sufficiently supported. The pages say, word for word:",
}
_UNSUPPORTED_MARKS: Final = {"de": "[nicht in den Quellen]", "en": "[not found in the sources]"}
_NO_ANSWER: Final = {
    "de": "Die Seiten dieser Website beantworten diese Frage nicht.",
    "en": "The pages of this website do not answer this question.",
}
_OFFERED: Final = {
    "de": "Einzelne Wörter der Frage kommen auf den unten genannten Seiten vor.",
    "en": "Some words of the question appear on the pages listed below.",
}
_PAGE: Final = {"de": "Seite {number}", "en": "page {number}"}
UNSUPPORTED_MARKS: Final = tuple(_UNSUPPORTED_MARKS.values())
"""The marks in all languages."""

_CONTACT: Final = {"de": "Kontakt: {contact}", "en": "Contact: {contact}"}
_GREETING_REPLIES: Final[Mapping[Greeting, Mapping[str, str]]] = {
    "hello": {
        "de": "Guten Tag! Was möchten Sie wissen? Stellen Sie Ihre Frage einfach in einem Satz.",
        "en": "Hello! What would you like to know? Just ask your question in a sentence.",
        "fr": "Bonjour ! Que souhaitez-vous savoir ? Posez simplement votre question en une phrase.",
    },
    "thanks": {
        "de": "Gern geschehen! Wenn Sie noch etwas wissen möchten, fragen Sie einfach.",
        "en": "You're welcome! If there is anything else you would like to know, just ask.",
        "fr": "Avec plaisir ! Si vous souhaitez savoir autre chose, posez simplement votre question.",
    },
    "bye": {
        "de": "Auf Wiedersehen! Sie können hier jederzeit wieder eine Frage stellen.",
        "en": "Goodbye! You can ask another question here at any time.",
        "fr": "Au revoir ! Vous pouvez revenir poser une question à tout moment.",
    },
}


_INTENT_REPLIES: Final[Mapping[Intent, Mapping[str, str]]] = {
    "emergency": {
        "de": "In einem Notfall rufen Sie bitte sofort an: **112** (Feuerwehr und Rettungsdienst) oder"
        " **110** (Polizei). Ärztliche Hilfe, wenn es nicht lebensgefährlich ist: **116117**. Wenn Sie nicht"
        " mehr weiterwissen: Telefonseelsorge, **0800 1110111**, kostenlos und rund um die Uhr. Von hier aus"
        " kann niemand Hilfe schicken.",
        "en": "In an emergency please call at once: **112** (fire brigade and ambulance) or **110** (police,"
        " in Germany). A doctor, if it is not life-threatening: **116117**. If you cannot go on: the crisis"
        " line **0800 1110111**, free of charge, day and night. Nobody can send help from here.",
    },
    "person": {
        "de": "Hier antwortet ein Programm; mit einem Menschen verbinden kann es Sie nicht.",
        "en": "A program answers here; it cannot connect you to a person.",
    },
    "machine": {
        "de": "Hier antwortet ein Programm, kein Mensch. Es sucht auf den Seiten dieser Website und nennt bei"
        " jeder Antwort die Quelle.",
        "en": "A program answers here, not a person. It searches the pages of this website and names the"
        " source of every answer.",
    },
    "complaint": {
        "de": "Das tut mir leid. Hier antwortet ein Programm, das Beschwerden nicht annehmen kann.",
        "en": "I am sorry. A program answers here, which cannot take complaints.",
    },
    "abilities": {
        "de": "Ich beantworte Fragen mit den Seiten dieser Website und nenne die Quellen. Fragen Sie in einem"
        " Satz, zum Beispiel was etwas kostet, wann geöffnet ist oder was Sie mitbringen müssen.",
        "en": "I answer questions from the pages of this website and name the sources. Ask in a sentence, for"
        " example what something costs, when it is open, or what you have to bring.",
    },
}
_NO_CONTACT: Final = {
    "de": "Wen Sie erreichen, steht auf den Kontaktseiten dieser Website.",
    "en": "Whom you can reach is on the contact pages of this website.",
}
_WITHOUT_CONTACT: Final[frozenset[Intent]] = frozenset({"emergency", "abilities"})


def verbatim_label(language: str) -> str:
    """The sentence above an extractive answer."""
    return _in(_VERBATIM, language)


def without_label(answer: str) -> str:
    """The answer without the sentence above its passages, if it has one."""
    labels = (*_VERBATIM.values(), *_NEAREST.values())
    label = next(filter(answer.startswith, labels), "")
    return answer.removeprefix(label).lstrip() if label else answer


def nearest_label(language: str) -> str:
    """The sentence above an extractive answer that may be none."""
    return _in(_NEAREST, language)


def other_request_reply(language: str) -> str:
    """The reply to what is no question about the pages."""
    return _in(_OTHER_REQUEST, language)


def unverified_label(language: str) -> str:
    """The sentence between an answer that its sources do not support and passages of the sources."""
    return _in(_UNVERIFIED, language)


def unsupported_mark(language: str) -> str:
    """The mark after a sentence with a figure that no source has."""
    return _in(_UNSUPPORTED_MARKS, language)


def page_label(number: int, language: str) -> str:
    """What a page of a file is called."""
    return _in(_PAGE, language).format(number=number)


def no_answer(language: str, *, has_sources: bool, contact: str) -> str:
    """The answer without an answer: that there is none, that pages are listed (``has_sources``), the
    contact."""
    parts = [_in(_NO_ANSWER, language)]
    if has_sources:
        parts.append(_in(_OFFERED, language))
    if contact:
        parts.append(contact_sentence(language, contact))
    return " ".join(parts)


def contact_sentence(language: str, contact: str) -> str:
    """The sentence with the contact."""
    return _in(_CONTACT, language).format(contact=contact)


def greeting_reply(greeting: Greeting, language: str) -> str:
    """The reply to a greeting, which invites a question."""
    return _in(_GREETING_REPLIES[greeting], language)


def intent_reply(intent: Intent, language: str, contact: str) -> str:
    """The reply to a wish that no page answers, with the ``contact`` where a person is needed."""
    text = _in(_INTENT_REPLIES[intent], language)
    if contact:
        return f"{text}\n\n{contact_sentence(language, contact)}"
    return text if intent in _WITHOUT_CONTACT else f"{text} {_in(_NO_CONTACT, language)}"


def _in(texts: Mapping[str, str], language: str) -> str:
    return texts.get(language, texts[FALLBACK_LANGUAGE])

"""What the service itself says in an answer, by language; other languages get English."""

from collections.abc import Mapping
from typing import Final

from app.chat.text.greetings import Greeting

FALLBACK_LANGUAGE: Final = "en"

_VERBATIM: Final = {
    "de": "Auszüge aus den gefundenen Seiten, wörtlich und ohne Sprachmodell:",
    "en": "Excerpts from the pages found, verbatim and without a language model:",
}
_NO_ANSWER: Final = {
    "de": "Die Seiten dieser Website beantworten diese Frage nicht.",
    "en": "The pages of this website do not answer this question.",
}
_OFFERED: Final = {
    "de": "Einzelne Wörter der Frage kommen auf den unten genannten Seiten vor.",
    "en": "Some words of the question appear on the pages listed below.",
}
_CONTACT: Final = {"de": "Kontakt: {contact}", "en": "Contact: {contact}"}
_GREETED: Final[Mapping[Greeting, Mapping[str, str]]] = {
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


def verbatim(language: str) -> str:
    """The label of an extractive answer."""
    return _in(_VERBATIM, language)


def no_answer(language: str, *, offered: bool, contact: str) -> str:
    """That nothing was found; where to look (if pages are ``offered``) or whom to ask."""
    parts = [_in(_NO_ANSWER, language)]
    if offered:
        parts.append(_in(_OFFERED, language))
    if contact:
        parts.append(contact_sentence(language, contact))
    return " ".join(parts)


def contact_sentence(language: str, contact: str) -> str:
    """Whom to ask."""
    return _in(_CONTACT, language).format(contact=contact)


def greeted(greeting: Greeting, language: str) -> str:
    """The reply to someone who only greets, thanks or takes leave: it invites a question."""
    return _in(_GREETED[greeting], language)


def _in(texts: Mapping[str, str], language: str) -> str:
    return texts.get(language, texts[FALLBACK_LANGUAGE])

"""What the service itself says in an answer, by language; other languages get English."""

from typing import Final

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


def verbatim(language: str) -> str:
    """The label of an extractive answer."""
    return _in(_VERBATIM, language)


def no_answer(language: str, *, offered: bool, contact: str) -> str:
    """That nothing was found; where to look (if pages are ``offered``) or whom to ask."""
    parts = [_in(_NO_ANSWER, language)]
    if offered:
        parts.append(_in(_OFFERED, language))
    if contact:
        parts.append(_in(_CONTACT, language).format(contact=contact))
    return " ".join(parts)


def _in(texts: dict[str, str], language: str) -> str:
    return texts.get(language, texts[FALLBACK_LANGUAGE])

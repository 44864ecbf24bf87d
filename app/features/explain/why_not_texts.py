"""Sentences that say why a page is not found and what would have to change, in German and English."""

from collections.abc import Mapping
from typing import Final

from app.features.explain.why_not import Cause, Remedy, RemedyCode

_CAUSES: Final[Mapping[str, Mapping[Cause, str]]] = {
    "en": {
        "unknown": "No source has this page.",
        "to_fetch": "The page is announced and not fetched yet.",
        "deleted": "The page was deleted.",
        "taken_out": "The page was taken out of all answers.",
        "not_published_yet": "The page is not published yet.",
        "no_longer_published": "The page is no longer published.",
        "other_source": "The page is in a source that is not searched here.",
        "not_indexed": "The page is not in the index yet.",
        "failed": "The page could not be indexed.",
        "not_in_index": "The index does not have the page, although the page store says so.",
        "not_searched": "Nothing was searched: this is no question about the pages.",
        "named_text": "The question only names a text, which was looked up.",
        "not_in_force": "The page's text is not in force on the day that was asked about.",
        "words_missing": "The page does not have the words of the question.",
        "too_far": "The page is too far from the question, by meaning and by words.",
        "not_near_enough": "Enough other pages are nearer to the question.",
        "same_as_better": "The page says the same as one that was ranked before it.",
        "outranked": "Other pages were ranked before it, and the result is full.",
        "refused": "The page was found, but nothing that was found answers the question well enough.",
        "not_read": "The page was found, but others took the room in the prompt.",
        "read": "The page was found and read.",
    },
    "de": {
        "unknown": "Keine Quelle hat diese Seite.",
        "to_fetch": "Die Seite ist angekündigt und noch nicht abgeholt.",
        "deleted": "Die Seite wurde gelöscht.",
        "taken_out": "Die Seite wurde aus allen Antworten genommen.",
        "not_published_yet": "Die Seite ist noch nicht veröffentlicht.",
        "no_longer_published": "Die Seite ist nicht mehr veröffentlicht.",
        "other_source": "Die Seite ist in einer Quelle, die hier nicht durchsucht wird.",
        "not_indexed": "Die Seite ist noch nicht im Index.",
        "failed": "Die Seite konnte nicht indexiert werden.",
        "not_in_index": "Der Index hat die Seite nicht, obwohl sie dort sein sollte.",
        "not_searched": "Es wurde nicht gesucht: Das ist keine Frage zu den Seiten.",
        "named_text": "Die Frage nennt nur einen Text, der nachgeschlagen wurde.",
        "not_in_force": "Der Text der Seite gilt an dem Tag nicht, nach dem gefragt wurde.",
        "words_missing": "Die Wörter der Frage stehen nicht auf der Seite.",
        "too_far": "Die Seite ist zu weit von der Frage weg, nach Bedeutung und nach Wörtern.",
        "not_near_enough": "Genug andere Seiten sind näher an der Frage.",
        "same_as_better": "Die Seite sagt dasselbe wie eine, die vor ihr steht.",
        "outranked": "Andere Seiten stehen vor ihr, und das Ergebnis ist voll.",
        "refused": "Die Seite wurde gefunden, aber nichts Gefundenes beantwortet die Frage gut genug.",
        "not_read": "Die Seite wurde gefunden, aber andere haben den Platz im Prompt belegt.",
        "read": "Die Seite wurde gefunden und gelesen.",
    },
}

_REMEDIES: Final[Mapping[str, Mapping[RemedyCode, str]]] = {
    "en": {
        "send_page": "Save the page in the CMS so that it is sent, or check its address.",
        "wait_for_fetch": "Wait until it is fetched.",
        "publish_again": "Publish it again in the CMS.",
        "bring_back": "Bring it back.",
        "wait_until_published": "It is published from {from} on.",
        "extend_publication": "Its publication ended on {until}: extend it in the CMS.",
        "add_source": "Add the source {source} to the site.",
        "wait_for_index": "Wait until it is indexed. {reason}",
        "mend_page": "Mend the page and save it again: {reason}",
        "reconcile": "Have an admin run `auskunft reconcile`.",
        "ask_a_question": "Ask a question about the page's subject.",
        "ask_about_page": "Ask about what the page says, or name it.",
        "wait_for_newest": "The newest version is not indexed yet; an older one was searched. {reason}",
        "add_words": "These words of the question are not on the page: {words}.",
        "add_heading": "Give it a title or a heading that says it: {words} stand in the text alone.",
        "come_nearer": "Its nearest passage is too far ({field}: similarity {similarity} < {threshold}): "
        "answer the question in a sentence of its own.",
        "beat_page": "“{title}” is ahead of it, most of all by {part}.",
        "differ_from_page": "It says the same as “{title}”: keep one of the two, or say what differs.",
        "answer_clearly": "The best page's score is {score}, an answer needs {threshold}: say the answer "
        "plainly.",
        "come_first": "The prompt has room for {tokens} tokens: shorten the pages before it, or come first.",
        "none": "Nothing has to change.",
    },
    "de": {
        "send_page": "Speichern Sie die Seite im CMS, damit sie gesendet wird, oder prüfen Sie ihre Adresse.",
        "wait_for_fetch": "Warten Sie, bis sie abgeholt ist.",
        "publish_again": "Veröffentlichen Sie sie im CMS wieder.",
        "bring_back": "Nehmen Sie sie wieder auf.",
        "wait_until_published": "Sie ist ab {from} veröffentlicht.",
        "extend_publication": "Ihre Veröffentlichung endete am {until}: Verlängern Sie sie im CMS.",
        "add_source": "Nehmen Sie die Quelle {source} in die Website auf.",
        "wait_for_index": "Warten Sie, bis sie indexiert ist. {reason}",
        "mend_page": "Verbessern Sie die Seite und speichern Sie sie neu: {reason}",
        "reconcile": "Lassen Sie die Administration `auskunft reconcile` ausführen.",
        "ask_a_question": "Stellen Sie eine Frage zum Thema der Seite.",
        "ask_about_page": "Fragen Sie nach dem, was auf der Seite steht, oder nennen Sie sie.",
        "wait_for_newest": "Die neueste Fassung ist noch nicht indexiert; gesucht wurde in einer älteren. "
        "{reason}",
        "add_words": "Diese Wörter der Frage stehen nicht auf der Seite: {words}.",
        "add_heading": "Geben Sie ihr einen Titel oder eine Überschrift, die es sagt: {words} stehen nur im "
        "Text.",
        "come_nearer": "Ihre nächste Stelle ist zu weit weg ({field}: Ähnlichkeit {similarity} < "
        "{threshold}): Beantworten Sie die Frage in einem eigenen Satz.",
        "beat_page": "„{title}“ liegt vor ihr, am meisten durch {part}.",
        "differ_from_page": "Sie sagt dasselbe wie „{title}“: Behalten Sie eine von beiden, oder sagen Sie, "
        "was anders ist.",
        "answer_clearly": "Die beste Seite hat {score} Punkte, eine Antwort braucht {threshold}: Sagen Sie "
        "die Antwort deutlich.",
        "come_first": "Im Prompt ist Platz für {tokens} Tokens: Kürzen Sie die Seiten vor ihr, oder lassen "
        "Sie sie zuerst kommen.",
        "none": "Es muss sich nichts ändern.",
    },
}

_PARTS: Final[Mapping[str, Mapping[str, str]]] = {
    "en": {
        "content": "how near its text is",
        "words": "the words of the question",
        "title and description": "title and description",
        "title": "its title",
        "description": "its description",
        "name": "its name",
        "keywords": "its keywords",
    },
    "de": {
        "content": "die Nähe seines Textes",
        "words": "die Wörter der Frage",
        "title and description": "Titel und Beschreibung",
        "title": "den Titel",
        "description": "die Beschreibung",
        "name": "den Namen",
        "keywords": "die Schlagwörter",
    },
}

_FIELDS: Final[Mapping[str, Mapping[str, str]]] = {
    "en": {"content": "text"},
    "de": {
        "content": "Text",
        "title": "Titel",
        "description": "Beschreibung",
        "name": "Name",
        "keywords": "Schlagwörter",
    },
}

_FIGURES: Final = ("similarity", "threshold", "score")


def cause_sentence(cause: Cause, language: str = "en") -> str:
    """Return what kept a page out of an answer, in ``language`` or in English."""
    return _CAUSES.get(language, _CAUSES["en"])[cause]


def remedy_sentence(remedy: Remedy, language: str = "en") -> str:
    """Return what would have to change, in ``language`` or in English."""
    sentence = _REMEDIES.get(language, _REMEDIES["en"])[remedy.code]
    names = {"part": _PARTS.get(language, _PARTS["en"]), "field": _FIELDS.get(language, _FIELDS["en"])}
    values = {name: names.get(name, {}).get(value, value) for name, value in remedy.values.items()}
    if language == "de":
        values |= {name: value.replace(".", ",") for name, value in values.items() if name in _FIGURES}
    return sentence.format(**values).strip()

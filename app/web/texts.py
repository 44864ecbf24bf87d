"""What the demo page says, in German and English."""

from collections.abc import Mapping
from typing import Final

LANGUAGES: Final = ("en", "de")

TEXTS: Final[Mapping[str, Mapping[str, str]]] = {
    "en": {
        "title": "Auskunft: ask the pages",
        "heading": "Ask the pages",
        "intro": "Answers come only from the indexed pages, with numbered sources.",
        "question": "Your question",
        "ask": "Ask",
        "search": "Search pages",
        "answer": "Answer",
        "sources": "Sources",
        "others": "Also found",
        "hits": "Pages found",
        "no_hits": "No page was found.",
        "similarity": "similarity",
        "language": "Language",
        "searching": "Searching the pages.",
        "answering": "Writing the answer.",
        "done": "The answer is complete.",
        "failed": "The answer could not be given: try again later.",
        "origin_answered": "Written by AI, from the sources below. Check important points there.",
        "origin_interrupted": "Written by AI and broken off. Check the sources below.",
        "origin_extractive": "No AI: passages of the pages, verbatim, found by search.",
        "origin_no_answer": "",
    },
    "de": {
        "title": "Auskunft: die Seiten fragen",
        "heading": "Fragen Sie die Seiten",
        "intro": "Antworten kommen nur aus den erfassten Seiten, mit nummerierten Quellen.",
        "question": "Ihre Frage",
        "ask": "Fragen",
        "search": "Seiten suchen",
        "answer": "Antwort",
        "sources": "Quellen",
        "others": "Ebenfalls gefunden",
        "hits": "Gefundene Seiten",
        "no_hits": "Keine Seite gefunden.",
        "similarity": "Ähnlichkeit",
        "language": "Sprache",
        "searching": "Die Seiten werden durchsucht.",
        "answering": "Die Antwort wird geschrieben.",
        "done": "Die Antwort ist vollständig.",
        "failed": "Die Antwort konnte nicht gegeben werden: Versuchen Sie es später noch einmal.",
        "origin_answered": "Von einer KI aus den Quellen unten geschrieben. Prüfen Sie Wichtiges dort.",
        "origin_interrupted": "Von einer KI geschrieben und abgebrochen. Prüfen Sie die Quellen unten.",
        "origin_extractive": "Ohne KI: Stellen der Seiten im Wortlaut, durch Suche gefunden.",
        "origin_no_answer": "",
    },
}

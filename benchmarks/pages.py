"""Generated pages: the website of an invented town, German and English by turns, the same in every run.

Sentences are built from a few patterns; the many street, family and product names give the text the long tail
of rare words that real websites have.
"""

import json
import random
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Final

from app.background.importer import Importer, ImportResult
from app.services import Services
from ingest import registry
from ingest.protocols import Source
from ingest.types import RawPage

SOURCE: Final = "bench"
SECTIONS: Final = 6
"""Sections of a page of medium length, about 6,000 bytes of Markdown."""

_SYLLABLES: Final = (
    "al", "ber", "dorn", "eich", "fal", "gra", "hol", "im", "kel", "lin",
    "mar", "nor", "ost", "pel", "quen", "ros", "stein", "tal", "ulm", "wend",
)  # fmt: skip


@dataclass(frozen=True, slots=True, kw_only=True)
class _Language:
    """Texts of a language. ``patterns`` of sentences and ``questions`` have gaps, which the rest fills."""

    code: str
    subjects: tuple[str, ...]
    offices: tuple[str, ...]
    headings: tuple[str, ...]
    columns: tuple[str, str]
    patterns: tuple[str, ...]
    questions: tuple[str, ...]


_GERMAN: Final = _Language(
    code="de",
    subjects=(
        "Hundesteuer", "Personalausweis", "Sperrmüll", "Wohngeld", "Anwohnerparken", "Kita-Platz", "Gewerbe",
        "Baugenehmigung", "Hallenbad", "Stadtbücherei", "Trinkwasser", "Feuerwehr", "Musikschule", "Friedhof",
    ),
    offices=("Bürgeramt", "Steueramt", "Ordnungsamt", "Bauamt", "Rathaus", "Standesamt", "Jugendamt"),
    headings=("Voraussetzungen", "Gebühren", "Unterlagen", "Fristen", "Ansprechpartner", "Häufige Fragen"),
    columns=("Leistung", "Gebühr"),
    patterns=(
        "Für {subject} ist das {office} in der {name}straße zuständig.",
        "Die Gebühr beträgt {fee} Euro und ist innerhalb von {days} Tagen zu zahlen.",
        "Bitte bringen Sie den Bescheid {name} und einen gültigen Ausweis mit, wenn Sie persönlich kommen.",
        "Wer in {name}feld wohnt, stellt den Antrag spätestens {days} Tage nach dem Einzug.",
        "Frau {name} berät Sie dienstags zwischen acht und zwölf Uhr, auch am Telefon unter {fee}-{days}.",
        "Eine Ermäßigung von {days} Prozent erhalten Familien, Studierende und Inhaber der {name}-Karte.",
        "Nach der Satzung über {subject} entscheidet das {office} meist innerhalb von {days} Werktagen.",
    ),
    questions=(
        "Wie hoch ist die Gebühr für {subject} in {name}feld?",
        "Welche Unterlagen brauche ich beim {office} für {subject}?",
        "Wer ist in der {name}straße für {subject} zuständig?",
    ),
)  # fmt: skip

_ENGLISH: Final = _Language(
    code="en",
    subjects=(
        "dog tax", "identity card", "bulky waste", "housing benefit", "resident parking", "nursery place",
        "trade licence", "building permit", "swimming pool", "public library", "drinking water",
        "fire brigade", "music school", "cemetery",
    ),
    offices=("citizens' office", "tax office", "order office", "building office", "town hall", "registry"),
    headings=("Requirements", "Fees", "Documents", "Deadlines", "Whom to ask", "Frequent questions"),
    columns=("Service", "Fee"),
    patterns=(
        "The {office} in {name} Street is responsible for the {subject}.",
        "The fee is {fee} euros and has to be paid within {days} days.",
        "Please bring the {name} notice and a valid identity document when you come in person.",
        "Anyone who lives in {name}field applies no later than {days} days after moving in.",
        "Ms {name} advises you on Tuesdays between eight and twelve, and by telephone on {fee}-{days}.",
        "Families, students and holders of the {name} card get a reduction of {days} per cent.",
        "Under the statute on the {subject} the {office} usually decides within {days} working days.",
    ),
    questions=(
        "What does the {subject} cost in {name}field?",
        "Which documents does the {office} need for the {subject}?",
        "Who in {name} Street is responsible for the {subject}?",
    ),
)  # fmt: skip

_LANGUAGES: Final = (_GERMAN, _ENGLISH)


def page(number: int, sections: int = SECTIONS) -> dict[str, str]:
    """Return one page as a record of the source ``files``."""
    chance, language = random.Random(number), _LANGUAGES[number % 2]
    subject = chance.choice(language.subjects)
    title = f"{subject[0].upper()}{subject[1:]}: {_name(chance)} {number}"
    return {
        "id": f"page-{number}",
        "url": f"https://town.example/{language.code}/page-{number}",
        "language": language.code,
        "title": title,
        "description": _sentence(chance, language, subject),
        "html": "\n".join(_section(chance, language, subject, i) for i in range(sections)),
    }


def questions(count: int) -> list[str]:
    """Return questions that visitors might ask about these pages, in both languages by turns."""
    asked = []
    for number in range(count):
        chance, language = random.Random(f"question {number}"), _LANGUAGES[number % 2]
        pattern = chance.choice(language.questions)
        asked.append(_filled(chance, language, chance.choice(language.subjects), pattern))
    return asked


def index(services: Services, path: Path, source: str = SOURCE) -> ImportResult:
    """Index the pages of a file or folder as those of ``source``, like ``auskunft index``."""
    importer = Importer(store=services.store, indexer=services.indexing.indexer)
    return importer.run(registry.create("sources", "files", name=source, path=str(path)))


def raw_pages(source: Source) -> list[RawPage]:
    """Return all pages of a source, as they come."""
    return [page for document in source.documents() for page in source.pages(document) or ()]


def read(path: Path) -> list[dict[str, Any]]:
    """Return the records of a JSON Lines file."""
    return [json.loads(line) for line in path.read_text("utf-8").splitlines()]


def write(path: Path, records: Iterable[Mapping[str, object]]) -> None:
    """Write the records as JSON Lines, one page a line."""
    path.write_text("".join(json.dumps(record, ensure_ascii=False) + "\n" for record in records), "utf-8")


def _section(chance: random.Random, language: _Language, subject: str, number: int) -> str:
    heading = language.headings[number % len(language.headings)]
    paragraphs = [_paragraph(chance, language, subject) for _ in range(2)]
    extra = _table(chance, language) if number % 2 else _list(chance, language, subject)
    return "\n".join((f"<h2>{heading}</h2>", *paragraphs, extra))


def _paragraph(chance: random.Random, language: _Language, subject: str) -> str:
    sentences = " ".join(_sentence(chance, language, subject) for _ in range(4))
    name = _name(chance)
    return f'<p>{sentences} <a href="/{language.code}/{name.lower()}">{name}</a></p>'


def _list(chance: random.Random, language: _Language, subject: str) -> str:
    items = "".join(f"<li>{_sentence(chance, language, subject)}</li>" for _ in range(3))
    return f"<ul>{items}</ul>"


def _table(chance: random.Random, language: _Language) -> str:
    head = "".join(f"<th>{column}</th>" for column in language.columns)
    rows = "".join(f"<tr><td>{_name(chance)}</td><td>{chance.randint(3, 300)}</td></tr>" for _ in range(4))
    return f"<table><thead><tr>{head}</tr></thead><tbody>{rows}</tbody></table>"


def _sentence(chance: random.Random, language: _Language, subject: str) -> str:
    return _filled(chance, language, subject, chance.choice(language.patterns))


def _filled(chance: random.Random, language: _Language, subject: str, pattern: str) -> str:
    return pattern.format(
        subject=subject,
        office=chance.choice(language.offices),
        name=_name(chance),
        fee=chance.randint(3, 300),
        days=chance.randint(2, 60),
    )


def _name(chance: random.Random) -> str:
    return "".join(chance.choices(_SYLLABLES, k=chance.randint(2, 3))).capitalize()

"""Parses acts in the oldest layouts of EUR-Lex, whose HTML has no classes, by their printed text alone.

Recitals without a printed number ("Whereas ...", "considérant ...") are numbered in order. Units with the
same name in texts annexed to the act (a protocol's "Article 1") are distinguished by their ``part``.
"""

from datetime import date

from lxml.html import HtmlElement

from ingest.errors import PageError
from ingest.law import legacy_captions as captions
from ingest.law import legacy_metadata as metadata
from ingest.law.application import applies_from, valid_until
from ingest.law.blocks import Block
from ingest.law.dates import first_date
from ingest.law.inline import without_label
from ingest.law.legacy_lines import Line, lines, text_element
from ingest.law.legacy_notes import join
from ingest.law.legacy_points import blocks, mark_quotations
from ingest.law.legacy_reader import Part, read
from ingest.law.metadata import act_type, number, short_title
from ingest.law.model import Act, Unit
from ingest.law.treaties import is_treaty
from ingest.law.writing import write


def parse_legacy(root: HtmlElement, *, celex: str, language: str, version: date | None) -> Act:
    """Parse a page in a legacy layout.

    ``celex``, ``language``, ``version``: if known from elsewhere; otherwise they are taken from the page.
    :attr:`Act.language` is the language of the text, because the site serves another language if there is no
    text in ``language``. The head of a consolidated text, up to the second horizontal rule, is metadata and
    in no unit.

    Raises :class:`~ingest.errors.PageError` if the page has no text, or does not identify it.
    """
    named = metadata.named(root)
    celex = celex or named.celex
    head, body = _lines_of(root, celex)
    mark_quotations(body)
    parts = read(body, celex)
    printed = metadata.take_title(parts[0].lines)
    parts[0].heading = printed
    title = metadata.title(metadata.description(root), printed, celex)
    document_date = None if act_type(celex, title) == "corrigendum" else first_date(title)
    published = metadata.published(root, head)
    dated = version or named.version or document_date or published
    language = metadata.language(root, language)
    if not celex or dated is None or not language:
        raise PageError(
            "invalid", "The page does not say which act, language and version it contains; set them."
        )
    units = _units(parts)
    consolidated = metadata.is_consolidated(root)
    return Act(
        celex=celex,
        language=language,
        version=dated,
        layout="legacy",
        units=units,
        title=title or celex,
        short_title=title if is_treaty(celex) else short_title(title),
        type=act_type(celex, title),
        number=number(title),
        consolidated=consolidated,
        document_date=document_date,
        published=published,
        applies_from=applies_from(units),
        valid_until=valid_until(units),
        subjects=metadata.subjects(root),
        amended_by=metadata.amending_acts(root) if consolidated else (),
    )


def _lines_of(root: HtmlElement, celex: str) -> tuple[list[Line], list[Line]]:
    """Return the lines of the page's head, which only a consolidated text has, and those of the text."""
    element = text_element(root)
    found = lines(element) if element is not None else []
    rules = [at for at, line in enumerate(found) if line.rule]
    start = rules[1] + 1 if metadata.is_consolidated(root) and len(rules) > 1 else 0
    head, body = ([line for line in part if not line.rule] for part in (found[:start], found[start:]))
    if not body:
        raise PageError(
            "empty",
            f"The page{f' of {celex}' if celex else ''} has no text of an act: EUR-Lex has none in HTML in "
            "this language and version. Ask for another language or version.",
        )
    return head, body


def _units(parts: list[Part]) -> tuple[Unit, ...]:
    bodies = [blocks(part.lines, headings=part.kind == "annex") for part in parts]
    notes = [_notes(part.notes, at) for at, part in enumerate(parts)]
    joined = join([note for own in notes for note in own], bodies)
    placed = {note.key: note for own in joined for note in own.values()}
    for note in placed.values():
        note.text = without_label(note.text, note.label)
    seen: dict[str, int] = {}
    units = []
    for part, body, own, referred in zip(parts, bodies, notes, joined, strict=True):
        body += [note for note in own if note.key not in placed]
        seen[part.name] = seen.get(part.name, 0) + 1
        units.append(
            Unit(
                name=part.name,
                kind=part.kind,
                markdown=write(body, referred),
                number=part.number,
                label=part.label,
                heading=part.heading,
                divisions=part.divisions,
                part=str(seen[part.name]) if seen[part.name] > 1 else "",
                amended_by=tuple(sorted({mark for block in body for mark in block.amended_by})),
            )
        )
    return tuple(units)


def _notes(found: list[Line], at: int) -> list[Block]:
    notes: list[Block] = []
    for line in found:
        numbered = captions.note(line.text)
        if numbered is None and notes:
            notes[-1].text = f"{notes[-1].text} {line.text}"
            continue
        label = numbered[0] if numbered else ""
        notes.append(Block(role="note", text=line.text, key=f"{at}-{len(notes)}", label=label))
    return notes

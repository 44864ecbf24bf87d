"""Measures the check for figures of another thing: ``python -m benchmarks.near_misses``.

Reads ``pools/near-misses.jsonl``: answers as models write them to questions about the sample site and the
pages of ``pools/near-miss-pages.jsonl``, half of them with the figure of a neighbouring row, another office,
article or day. Prints the shares of wrong and of right sentences that are marked

* over the even and the odd answers, on which the check was fitted;
* over those that say whom to reach and how;
* over unseen ones, written before the newest version of the check and not looked at since;

and the answers that are judged wrongly, except unseen ones.
"""

from collections.abc import Iterable, Mapping, Sequence
from pathlib import Path
from typing import Any, Final

import click

from app.chat.text.figure_evidence import Evidence
from app.chat.text.figure_filter import FigureFilter
from app.chat.text.figure_places import SourceText
from app.chat.text.figure_subjects import FigureSubjects
from app.demo import site
from benchmarks.pages import raw_pages, read
from ingest.converters import catalogue
from ingest.sources.files import FilesSource
from ingest.types import RawField

POOLS: Final = Path(__file__).with_name("pools")
MARK: Final = "[?]"
UNSEEN: Final = 1000
"""The check was not fitted on answers with higher numbers."""

REACHED: Final = frozenset({"name", "phone", "mail"})
"""Kinds of answers that say whom to reach, and how."""

Answer = Mapping[str, Any]
"""The ``pages`` that the model read, ``question`` and ``answer``; ``wrong``: the words with another thing's
figure, empty for a right answer; ``id``: a group and a number."""


def answers() -> Sequence[Answer]:
    """Return the answers of the pool."""
    return read(POOLS / "near-misses.jsonl")


def sources() -> dict[str, SourceText]:
    """Return the pages by id."""
    found = {
        page["id"]: SourceText(page["title"], page["content"], page["language"])
        for page in read(POOLS / "near-miss-pages.jsonl")
    }
    for raw in raw_pages(FilesSource("demo", str(site()))):
        fields = {name: _markdown(field) for name, field in raw.fields.items()}
        text = SourceText(fields.get("title", ""), fields.get("content", ""), raw.ref.language)
        found[f"demo:{raw.ref.id}"] = text
    return found


def is_marked(answer: Answer, pages: Mapping[str, SourceText]) -> bool:
    """Return True if the wrong sentence of an answer is marked; for a right answer, if any sentence is."""
    read = [pages[name] for name in answer["pages"]]
    subjects = FigureSubjects(read, answer["question"], answer["language"])
    evidence = Evidence([answer["question"], *(f"{page.title}\n{page.text}" for page in read)])
    figures = FigureFilter(evidence, MARK, subjects)
    for character in answer["answer"]:
        figures.feed(character)
    figures.close()
    return any(answer["wrong"] in sentence for sentence in figures.unsupported)


def shares(found: Iterable[tuple[Answer, bool]]) -> dict[str, tuple[int, int]]:
    """Return the numbers of marked answers and of all, by group: ``right``, ``wrong``, and answers in another
    language than their pages."""
    counted: dict[str, tuple[int, int]] = {}
    for answer, marked in found:
        group = answer["id"].rpartition("-")[0]
        some, all_ = counted.get(group, (0, 0))
        counted[group] = some + marked, all_ + 1
    return counted


def _number(answer: Answer) -> int:
    return int(answer["id"].rpartition("-")[2])


def _markdown(field: RawField) -> str:
    converter = next(each for each in catalogue.load().values() if each.accepts(field))
    return converter.convert(field, "https://www.town.example/")


def _show(name: str, found: Sequence[tuple[Answer, bool]]) -> None:
    for group, (marked, all_) in shares(found).items():
        click.echo(f"{name:>18}: {group:<11} {marked:>3} of {all_:>3} marked ({marked / all_:.3f})")


@click.command()
def main() -> None:
    """Print the figures."""
    pages = sources()
    found = [(answer, is_marked(answer, pages)) for answer in answers()]
    seen = [each for each in found if _number(each[0]) <= UNSEEN]
    _show("even", [each for each in seen if _number(each[0]) % 2 == 0])
    _show("odd", [each for each in seen if _number(each[0]) % 2])
    _show("whom to reach", [each for each in seen if each[0]["kind"] in REACHED])
    _show("unseen", [each for each in found if _number(each[0]) > UNSEEN])
    for answer, marked in seen:
        if marked != bool(answer["wrong"]):
            click.echo(f"{answer['id']}: {answer['question']} | {answer['answer']!r}")


if __name__ == "__main__":
    main()

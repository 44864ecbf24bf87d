"""Compares extraction of main content, ours and trafilatura's: ``python -m benchmarks.extraction FOLDER``.

FOLDER has a folder for each page with ``source.html`` and ``expected.html``, like the test pages of
mozilla/readability; pages with a short expected text test single details and are skipped. With ``--content``,
the pages of a JSON Lines file, whose ``html`` is content alone, are added in four layouts of a website. Words
are compared as multisets. trafilatura is installed into an environment of its own.
"""

import json
import re
import time
from collections import Counter
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from html import escape
from pathlib import Path
from statistics import mean
from typing import Final

import click

from benchmarks.layouts import LAYOUTS
from benchmarks.peers import ENVIRONMENTS, Peer, environment, run_script
from ingest.html import page_to_markdown, to_markdown
from ingest.html.tree import parse

MIN_WORDS: Final = 150
LOST: Final = 0.8
"""A page that keeps a smaller share of its words counts as having lost content."""

TRAFILATURA: Final = Peer(name="trafilatura", script="trafilatura_pages.py", packages=("trafilatura",))
_TARGET: Final = re.compile(r"\]\((?:<[^>]*>|[^()\s]|\([^()]*\))*\)")

Words = Counter[str]


@dataclass(frozen=True, slots=True, kw_only=True)
class Sample:
    """A whole page, and the words of its content."""

    kind: str
    html: str
    expected: Words


@dataclass(frozen=True, slots=True, kw_only=True)
class Score:
    """Shares: of the content's words that are kept, of the other words that are dropped, and of the kept
    words that are content."""

    kept: float
    dropped: float
    precision: float

    @property
    def f1(self) -> float:
        both = self.kept + self.precision
        return 2 * self.kept * self.precision / both if both else 0.0


@dataclass(frozen=True, slots=True, kw_only=True)
class Run:
    """The texts that an extractor found on all pages, and its seconds."""

    name: str
    texts: Sequence[str]
    seconds: float


@click.command(help="Compare main content of whole pages with what is expected, and with trafilatura.")
@click.argument("folder", type=click.Path(exists=True, file_okay=False, path_type=Path))
@click.option(
    "--content",
    type=click.Path(exists=True, dir_okay=False, path_type=Path),
    help="Pages of content alone, JSON Lines, to be put into layouts.",
)
@click.option("--alone", is_flag=True, help="Leave trafilatura out.")
@click.option(
    "--environments",
    type=click.Path(file_okay=False, path_type=Path),
    default=ENVIRONMENTS,
    show_default=True,
    help="Where trafilatura is installed.",
)
def main(folder: Path, content: Path | None, alone: bool, environments: Path) -> None:
    samples = [*whole_pages(folder), *(framed(content) if content else ())]
    if not samples:
        raise click.ClickException(f"{folder}: no page in it has source.html and enough in expected.html")
    pages = [sample.html for sample in samples]
    runs = [
        _timed("whole page", _visible_text, pages),
        _timed("<main>, no <nav>", lambda html: _words_of_markdown(to_markdown(html)), pages),
        _timed("Auskunft", lambda html: _words_of_markdown(page_to_markdown(html)), pages),
    ]
    for line in table(samples, [*runs, *(() if alone else _theirs(environments, pages))]):
        click.echo(line)


def whole_pages(folder: Path) -> Iterator[Sample]:
    """Yield the folder's pages that have enough text; ``kind`` is the markup of their content."""
    for source in sorted(folder.glob("*/source.html")):
        expected = words(_visible_text(_read(source.with_name("expected.html"))))
        if expected.total() >= MIN_WORDS:
            html = _read(source)
            yield Sample(kind=_markup(html), html=html, expected=expected)


def framed(content: Path) -> Iterator[Sample]:
    """Yield the pages of a JSON Lines file in every layout."""
    for line in content.read_text("utf-8").splitlines():
        record = json.loads(line)
        title = escape(record.get("title") or "")
        expected = words(_visible_text(f"<h1>{title}</h1>{record['html']}"))
        for kind, layout in LAYOUTS.items():
            yield Sample(kind=kind, html=layout(title, record["html"]), expected=expected)


def words(text: str) -> Words:
    """Count the words of a text."""
    return Counter(re.findall(r"\w+", text.lower()))


def score(expected: Words, whole: Words, found: Words) -> Score:
    """Compare the words found on a page with the expected ones."""
    right = (expected & found).total()
    others = (whole - expected).total()
    wrong = (found - expected).total()
    return Score(
        kept=right / max(1, expected.total()),
        dropped=max(0.0, 1 - wrong / others) if others else 1.0,
        precision=right / max(1, found.total()),
    )


def table(samples: Sequence[Sample], runs: Sequence[Run]) -> Iterator[str]:
    """Yield the figures as a table in Markdown, kind by kind."""
    yield "| pages | | words kept | others dropped | precision | F1 | pages that lose a fifth | ms per page |"
    yield "|---|---|---|---|---|---|---|---|"
    wholes = [words(text) for text in runs[0].texts]
    scores = {
        run.name: [
            score(sample.expected, whole, words(text))
            for sample, whole, text in zip(samples, wholes, run.texts, strict=True)
        ]
        for run in runs
    }
    for kind in dict.fromkeys(sample.kind for sample in samples):
        chosen = [number for number, sample in enumerate(samples) if sample.kind == kind]
        for run in runs:
            of_kind = [scores[run.name][number] for number in chosen]
            speed = 1_000 * run.seconds / len(samples)
            yield f"| {kind}, {len(chosen)} | {run.name} | {_row(of_kind)} | {speed:.0f} |"


def _row(scores: Sequence[Score]) -> str:
    means = (mean(getattr(each, name) for each in scores) for name in ("kept", "dropped", "precision", "f1"))
    lost = sum(each.kept < LOST for each in scores)
    return " | ".join([*(f"{value:.3f}".removeprefix("0") for value in means), str(lost)])


def _timed(name: str, extract: Callable[[str], str], pages: Sequence[str]) -> Run:
    started = time.perf_counter()
    texts = [extract(page) for page in pages]
    return Run(name=name, texts=texts, seconds=time.perf_counter() - started)


def _theirs(environments: Path, pages: Sequence[str]) -> list[Run]:
    found = run_script(environment(TRAFILATURA, environments), TRAFILATURA, pages)
    return [Run(name=name, texts=texts, seconds=seconds) for name, (texts, seconds) in found.items()]


def _markup(html: str) -> str:
    document = parse(html)
    if len(document.mains) == 1:
        return "with <main>"
    return "with <article>" if re.search(r"<article\b", html, re.I) else "without either"


def _visible_text(html: str) -> str:
    return " ".join(parse(html).root.texts())


def _words_of_markdown(markdown: str) -> str:
    return _TARGET.sub(" ", markdown)


def _read(path: Path) -> str:
    return path.read_text("utf-8", "replace")


if __name__ == "__main__":
    main()

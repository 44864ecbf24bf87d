"""Measures how well contradictions are distinguished from pages that agree.

``python -m benchmarks.contradictions [PAGES …]`` prints

* precision and recall over the pairs of ``pools/contradictions.jsonl``, and the pairs judged wrongly;
* how many contradictions of ``pools/planted-contradictions.jsonl`` are found, which change a figure of the
  sample site in a page's translation, in a copy of a section or in other words;
* for people to check, all findings on the pages of the sample site, which agree, and of ``PAGES``, folders or
  JSONL files.
"""

import re
from collections import Counter
from collections.abc import Iterable, Iterator
from contextlib import contextmanager
from dataclasses import replace
from importlib.resources import files
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any, Final

import click

from app.background.importer import Importer
from app.features.contradictions.detector import contradictions
from app.features.contradictions.marks import marked
from app.features.contradictions.scanner import compared
from app.features.contradictions.services import ContradictionServices
from app.features.contradictions.statements import Statement, statements_of
from app.monitoring.logging import configure_quiet_logging
from app.search.index import live_generation
from app.search.languages import question_language
from app.search.types import IndexedPage
from app.services import Services
from app.settings.settings import load_settings
from app.sources.factory import FILES, make_reader
from benchmarks.pages import read
from ingest.types import FieldName, PageRef

POOLS: Final = Path(__file__).with_name("pools")
SITE: Final = Path(str(files("app.demo") / "site"))


def read_pairs() -> list[dict[str, Any]]:
    """Return the pairs of the pool."""
    return read(POOLS / "contradictions.jsonl")


def is_found(pair: dict[str, Any]) -> bool:
    """Return True if the detector finds a contradiction in the pair."""
    return bool(contradictions(_statements(pair["one"]), _statements(pair["other"])))


def figures(pairs: list[dict[str, Any]]) -> tuple[float, float]:
    """Return precision and recall."""
    found = [pair for pair in pairs if is_found(pair)]
    right = sum(pair["contradicts"] for pair in found)
    return right / max(len(found), 1), right / max(sum(pair["contradicts"] for pair in pairs), 1)


def on_ordinary_pages(services: Services) -> list[str]:
    """Return the findings on an installation's pages, each as a line with the values in brackets."""
    of_feature = services.feature(ContradictionServices)
    of_feature.scanner.run()
    return [
        " | ".join(
            f"{side.ref.id}: " + "".join(f"[{text}]" if is_marked else text for text, is_marked in pieces)
            for side, pieces in marked(each.found)
        )
        for each in of_feature.store.entries(limit=1_000)
    ]


def planted(pages: Iterable[IndexedPage]) -> dict[str, bool]:
    """Return each planted contradiction, True if it is found on these ``pages`` of the sample site."""
    by_id = {page.ref.id: page for page in pages}
    found = {}
    for plant in read(POOLS / "planted-contradictions.jsonl"):
        page = _planted(plant, by_id[plant["page"]])
        same = [each for each in by_id.values() if each.ref.language == page.ref.language]
        others = [by_id[plant["translation"]]] if "translation" in plant else same
        found[plant["id"]] = any(compared(page, other) for other in others)
    return found


def _planted(plant: dict[str, str], page: IndexedPage) -> IndexedPage:
    """The translation with another figure, or a new page with the copied section or other words."""
    content = page.fields["content"]
    if heading := plant.get("heading"):
        content = re.split(rf"\n(?=## {re.escape(heading)}\n)", content)[1].split("\n## ")[0]
    if "old" in plant:
        assert plant["old"] in content, plant
        content = content.replace(plant["old"], plant["new"], 1)
    if "title" not in plant:
        return replace(page, fields={**page.fields, "content": content})
    fields: dict[FieldName, str] = {"title": plant["title"], "content": plant.get("text", content)}
    return replace(page, ref=replace(page.ref, id="planted"), fields=fields)


@contextmanager
def indexed(path: Path) -> Iterator[Services]:
    """Index a folder or JSONL file in a new installation, by words alone: seconds for a thousand pages."""
    with (
        TemporaryDirectory() as folder,
        Services(load_settings(data=Path(folder), embedder="hashing")) as services,
    ):
        client = services.sources.client
        source = make_reader(services.settings, FILES, str(path), language=None, fetcher=lambda: client)
        live_generation(services.indexing.index, services.store.id)
        Importer(store=services.store, indexer=services.indexing.indexer).run(source)
        yield services


def all_pages(services: Services) -> list[IndexedPage]:
    """Return all pages of the index."""
    index = services.indexing.index
    refs: list[PageRef] = [ref for ref, _ in index.refs(live_generation(index, services.store.id).number)]
    return list(index.pages(refs))


def _statements(passage: dict[str, str]) -> list[Statement]:
    language = question_language(passage["text"]) or question_language(passage["title"]) or "de"
    return statements_of(passage["text"], passage["title"], language)


@click.command()
@click.argument("paths", nargs=-1, metavar="[PAGES]...", type=click.Path(exists=True, path_type=Path))
def main(paths: tuple[Path, ...]) -> None:
    """Print the figures."""
    configure_quiet_logging()
    pairs = read_pairs()
    for name, some in (
        ("all", pairs),
        ("odd", [pair for pair in pairs if int(pair["id"].rpartition("-")[2]) % 2]),
        ("even", [pair for pair in pairs if not int(pair["id"].rpartition("-")[2]) % 2]),
    ):
        precision, recall = figures(some)
        click.echo(f"{name:>4}: {len(some)} pairs, precision {precision:.2f}, recall {recall:.2f}")
    for pair in pairs:
        if is_found(pair) != pair["contradicts"]:
            click.echo(f"  {pair['id']}: {pair['one']['text']} | {pair['other']['text']}")
    for path in (SITE, *paths):
        with indexed(path) as services:
            pages, found = all_pages(services), on_ordinary_pages(services)
        click.echo(f"{path.name}: {len(found)} found on {len(pages)} pages")
        click.echo("".join(f"  {line}\n" for line in found), nl=False)
        if path == SITE:
            _show_planted(planted(pages))


def _show_planted(found: dict[str, bool]) -> None:
    planted_of = Counter(name.partition("-")[0] for name in found)
    found_of = Counter(name.partition("-")[0] for name in found if found[name])
    for name, count in planted_of.items():
        missed = " ".join(each for each in found if each.startswith(f"{name}-") and not found[each])
        click.echo(f"  {name}: {found_of[name]} of {count} planted are found; not {missed or 'any'}")


if __name__ == "__main__":
    main()

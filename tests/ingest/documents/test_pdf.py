"""PDF files in a folder: their text with headings and pages, and what is refused."""

from collections.abc import Iterator
from pathlib import Path

import pytest

from ingest import packages
from ingest.converters.document import DocumentConverter
from ingest.documents import PAGE_MARK, page_number, unpaged
from ingest.documents.reader import DocumentReader
from ingest.errors import PageError
from ingest.sources.files import FilesSource
from ingest.types import PDF, RawField
from tests.fakes.pdf import drawn_pdf, packed_pdf, pdf

FEES = pdf(
    [
        [(24, "Fee schedule"), (11, "The fees of the town of Otterfurt for its services.")],
        [(16, "Dogs"), (11, "The yearly dog tax is 84 euros for the first dog.")],
    ]
)


@pytest.fixture(scope="module")
def reader() -> Iterator[DocumentReader]:
    made = DocumentReader(timeout=20)
    yield made
    made.close()


def test_larger_letters_are_headings_and_a_form_feed_divides_the_pages(reader: DocumentReader) -> None:
    document = reader.read(FEES, PDF)
    first, second = document.markdown.split(PAGE_MARK)
    assert first == "# Fee schedule\n\nThe fees of the town of Otterfurt for its services."
    assert second == "## Dogs\n\nThe yearly dog tax is 84 euros for the first dog."
    assert (document.title, document.language) == ("Fee schedule", "en")


def test_what_recurs_at_the_edges_of_pages_is_left_out(reader: DocumentReader) -> None:
    towns = ("Otterfurt", "Biberach", "Dachsbach")
    texts = [f"The town of {town} lies on a river and has a market square." for town in towns]
    head = "Guide to the towns"
    pages = [
        [
            (9, head),
            (11, text),
            (11, "It has a ferry."),
            (11, f"And {town} has a mill."),
            (9, f"Page {number}"),
        ]
        for number, (town, text) in enumerate(zip(towns, texts, strict=True), start=1)
    ]
    markdown = reader.read(pdf(pages), PDF).markdown
    assert markdown.count(head) == 1  # on the first page
    assert "Page 2" not in markdown
    assert all(text in markdown for text in texts)
    assert markdown.count("It has a ferry.") == 3  # in the middle of the page
    assert head in reader.read(pdf(pages[:2]), PDF).markdown  # on two pages it may be text


@pytest.mark.parametrize(
    "hidden",
    [
        "3 Tr (secret) Tj 0 Tr",
        "7 Tr (secret) Tj 0 Tr",
        "1 g (secret) Tj 0 g",
        "0.98 1 0.97 rg (secret) Tj 0 g",
        "/F1 0.5 Tf (secret) Tj /F1 11 Tf",
        "0.05 0 0 0.05 50 700 Tm (secret) Tj",
        "1 0 0 1 700 700 Tm (secret) Tj",
        "1 0 0 1 50 -40 Tm (secret) Tj",
        "/Faint gs (secret) Tj",
        "ET 0.2 g 40 690 300 30 re f BT /F1 11 Tf 50 700 Td (secret) Tj 0 g",
        "2 Tr 1 g 1 G (secret) Tj 0 g 0 Tr",
        "ET q 300 100 80 80 re W n BT /F1 11 Tf 50 700 Td (secret) Tj ET Q BT",
        "ET q 0 0 600 842 re W n 300 100 80 80 re W n BT /F1 11 Tf 50 700 Td (secret) Tj ET Q BT",
        "(secret) Tj ET 0.2 g 40 690 300 30 re f 0 g BT",
    ],
    ids=[
        "no ink", "clip", "white", "nearly white", "tiny", "scaled down", "right", "below", "transparent",
        "on its colour", "white, outlined in white", "clipped away", "clipped away, among others", "covered",
    ],
)  # fmt: skip
def test_what_a_reader_of_the_page_does_not_see_is_left_out(reader: DocumentReader, hidden: str) -> None:
    before = "BT /F1 11 Tf 50 760 Td (The first dog costs 96 euros a year.) Tj ET"
    after = "BT /F1 11 Tf 50 740 Td (Pay in May.) Tj ET"
    file = drawn_pdf(f"{before} q BT /F1 11 Tf 50 700 Td {hidden} ET Q {after}")
    markdown = reader.read(file, PDF).markdown
    assert "secret" not in markdown
    assert "The first dog costs 96 euros a year." in markdown
    assert "Pay in May." in markdown


@pytest.mark.parametrize(
    "stream",
    [
        "0 g 40 690 300 30 re f BT 1 g /F1 11 Tf 50 700 Td (The dog tax is 96 euros.) Tj ET",
        "q 595 0 0 842 0 0 cm /P Do Q BT 1 g /F1 11 Tf 50 700 Td (The dog tax is 96 euros.) Tj ET",
        "q 595 0 0 842 0 0 cm /P Do Q BT 3 Tr /F1 11 Tf 50 700 Td (The dog tax is 96 euros.) Tj ET",
        "BT 3 Tr /F1 11 Tf 50 700 Td (The dog tax is 96 euros.) Tj ET q 595 0 0 842 0 0 cm /P Do Q",
        "BT /F1 1 Tf 11 0 0 11 50 700 Tm (The dog tax is 96 euros.) Tj ET",
        "BT 2 Tr /F1 11 Tf 50 700 Td (The dog tax is 96 euros.) Tj ET",
    ],
    ids=["white on black", "on a picture", "recognised", "recognised, below", "scaled up", "outlined"],
)
def test_white_text_on_a_ground_and_text_recognised_in_pictures_is_read(
    reader: DocumentReader, stream: str
) -> None:
    assert reader.read(drawn_pdf(stream), PDF).markdown.strip("\f") == "The dog tax is 96 euros."


@pytest.mark.parametrize(
    "background",
    [
        "0 g 50 400 500 350 re 51 401 498 348 re f*",
        "q 0 800 600 42 re W n 0 g 0 0 600 842 re f Q 0 g",
        "q BT 7 Tr /F1 11 Tf 50 800 Td (x) Tj ET 0 g 0 0 600 842 re f Q 0 g",
        "q /Light gs 0 g 0 0 600 842 re f Q",
        "0 g 0 0 m 595 0 l 0 842 l f",
        "0 g 50 703 200 1 re f",
        "0 g 50 695 40 20 re f",
        "1 G 1 g 0 0 595 842 re f 0 g",
    ],
    ids=["a frame", "clipped", "clipped by letters", "light", "a triangle", "a line", "a mark", "white"],
)
@pytest.mark.parametrize("is_over", [False, True], ids=["under it", "over it"])
def test_text_is_left_out_for_what_is_under_or_over_it_only_where_that_is_certain(
    reader: DocumentReader, background: str, is_over: bool
) -> None:
    text = "BT 0 Tr /F1 11 Tf 50 700 Td (The dog tax is 96 euros.) Tj ET"
    drawn = f"{text} {background}" if is_over else f"{background} {text}"
    assert "The dog tax is 96 euros." in reader.read(drawn_pdf(drawn), PDF).markdown


@pytest.mark.parametrize("clip", ["0 0 595 842 re", "45 695 60 20 re", "0 0 m 595 0 l 300 842 l h"])
def test_text_of_which_a_clip_shows_something_is_read(reader: DocumentReader, clip: str) -> None:
    text = "BT 0 g /F1 11 Tf 50 700 Td (The dog tax is 96 euros.) Tj ET"
    assert "The dog tax is 96 euros." in reader.read(drawn_pdf(f"q {clip} W n {text} Q"), PDF).markdown


@pytest.mark.parametrize(
    "stream",
    [
        "/Pattern cs /Dark scn 40 690 300 30 re f BT 1 g {text} ET",
        "0 g 40 690 100 30 re f BT 1 g {text} ET",
        "BT 2 Tr 1 g 0 G {text} ET",
        "0 g " + "500 10 1 1 re f " * 5_001 + "BT 1 g {text} ET",
    ],
    ids=["on a gradient", "partly on black", "outlined in black", "among countless others"],
)
def test_white_text_is_read_unless_nothing_of_it_can_be_seen(reader: DocumentReader, stream: str) -> None:
    text = "/F1 11 Tf 50 700 Td (The dog tax is 96 euros.) Tj"
    file = drawn_pdf(stream.replace("{text}", text))
    assert reader.read(file, PDF).markdown.strip("\f") == "The dog tax is 96 euros."


def test_pages_numbered_in_roman_figures_have_running_lines_too(reader: DocumentReader) -> None:
    texts = [f"The town of {town} lies on a river." for town in ("Otterfurt", "Biberach", "Dachsbach")]
    pages = [
        [(11, text), (11, "It has a mill."), (11, "And a ferry."), (14, number)]
        for text, number in zip(texts, ("vi", "vii", "viii"), strict=True)
    ]
    markdown = reader.read(pdf(pages), PDF).markdown
    assert "vii" not in markdown.partition("\f")[2]
    assert all(text in markdown for text in texts)


def test_entries_of_a_table_of_contents_are_no_headings(reader: DocumentReader) -> None:
    entries = [
        (14, f"About {word} . . . . {page}") for page, word in enumerate(("dogs", "cats", "mice") * 3, 3)
    ]
    body = "A paragraph that is long enough to be what most of the text is set in, by far. "
    pages = [[(20, "Contents"), *entries], [(14, "About dogs"), *[(11, f"{body} {n} x") for n in range(9)]]]
    markdown = reader.read(pdf(pages), PDF).markdown
    assert [line for line in markdown.replace("\f", "\n").splitlines() if line.startswith("#")] == [
        "# Contents",
        "## About dogs",
    ]
    assert "About cats" in markdown


def at(x: int, y: int, text: str) -> str:
    return f"BT /F1 11 Tf {x} {y} Td ({text}) Tj ET"


LINES = "0.5 w " + " ".join(f"50 {y} m 350 {y} l S" for y in (700, 680, 660, 640))
SIDES = " ".join(f"{x} 640 m {x} 700 l S" for x in (50, 150, 350))
CELLS = " ".join(
    (at(55, 685, "Animal"), at(155, 685, "Euros a year"), at(55, 665, "Dog"), at(155, 665, "96"))
)  # fmt: skip
TABLE = "| Animal | Euros a year |\n| --- | --- |\n| Dog | 96 |"


@pytest.mark.parametrize(
    "lines",
    [
        f"{LINES} {SIDES}",
        f"{LINES} 150 640 m 150 700 l S",
        " ".join(f"{x} {y} {w} 20 re S" for x, w in ((50, 100), (150, 200)) for y in (640, 660, 680)),
        " ".join(f"50 {y} 300 1 re f" for y in (640, 660, 680, 700)) + " 150 640 1 60 re f",
        f"q 0.5 0 0 0.5 0 0 cm {LINES.replace('50', '100')} Q {LINES} {SIDES}",
    ],
    ids=["lines", "open at its sides", "boxes", "filled lines", "beside a drawing"],
)
def test_a_table_with_lines_is_a_table(reader: DocumentReader, lines: str) -> None:
    file = drawn_pdf(f"{at(50, 760, 'The fees of the town.')} {lines} {CELLS} {at(50, 600, 'Pay in May.')}")
    markdown = reader.read(file, PDF).markdown.strip("\f")
    assert markdown == f"The fees of the town.\n\n{TABLE}\n\nPay in May."


def test_tables_at_the_edges_of_pages_that_differ_in_numbers_alone_are_kept(reader: DocumentReader) -> None:
    drawn = f"{LINES} {SIDES} {CELLS}"
    markdown = reader.read(drawn_pdf(*(drawn.replace("96", f"9{n}") for n in range(4))), PDF).markdown
    assert markdown.split("\f") == [TABLE.replace("96", f"9{n}") for n in range(4)]


def test_a_table_of_many_boxes_is_a_table(reader: DocumentReader) -> None:
    boxes = " ".join(f"{x} {y} 20 10 re S" for x in range(50, 450, 20) for y in range(100, 700, 10))
    texts = " ".join(at(x, 691 - 10 * row, f"{row}") for row in (0, 59) for x in (55, 75))
    markdown = reader.read(drawn_pdf(f"{boxes} {texts}"), PDF).markdown.strip("\f")
    assert markdown == "| 0 | 0 |\n| --- | --- |\n| 59 | 59 |"


def test_merged_cells_are_written_once_and_what_divides_is_no_text(reader: DocumentReader) -> None:
    sides = "50 640 m 50 700 l S 350 640 m 350 700 l S 150 660 m 150 700 l S"
    merged = f"{at(55, 645, 'Cats | are')} {at(160, 645, 'free')}"
    markdown = reader.read(drawn_pdf(f"{LINES} {sides} {CELLS} {merged}"), PDF).markdown.strip("\f")
    assert markdown == TABLE + "\n| Cats \\| are free |  |"


def test_a_frame_around_text_and_a_drawing_are_no_tables(reader: DocumentReader) -> None:
    frame = "40 590 400 200 re S 40 690 m 440 690 l S 240 590 m 240 790 l S"
    grid = " ".join(f"{x} 100 m {x} 500 l S 50 {x} m 500 {x} l S" for x in range(100, 500, 10))
    file = drawn_pdf(f"{frame} {grid} {at(55, 760, 'The dog tax is due.')} {at(55, 740, 'Pay it in May.')}")
    assert reader.read(file, PDF).markdown.strip("\f") == "The dog tax is due.\n\nPay it in May."


def test_sizes_count_as_they_are_scaled(reader: DocumentReader) -> None:
    body = "The first dog costs 96 euros a year."
    lines = f"20 0 0 20 50 760 Tm (Dog tax) Tj 11 0 0 11 50 700 Tm ({body}) Tj"
    file = drawn_pdf(f"BT /F1 1 Tf {lines} ET")
    assert reader.read(file, PDF).markdown.strip("\f") == f"# Dog tax\n\n{body}"


def test_every_byte_of_the_content_knows_its_page() -> None:
    text, starts = unpaged("Straße\f\fzwei\n\fdrei")
    assert text == "Straße\n\nzwei\n\ndrei"
    places = {word: page_number(starts, len(text[: text.index(word)].encode())) for word in text.split()}
    assert places == {"Straße": 1, "zwei": 3, "drei": 4}
    assert page_number("", 0) is None


@pytest.mark.parametrize(
    ("data", "reason", "message"),
    [
        (b"", "empty", "the file is empty"),
        (b"PK\x03\x04 no PDF", "invalid", "not a PDF, whatever its name says"),
        (FEES[:200], "invalid", "damaged"),
        (pdf([[]] * 3), "unsupported", "recognise the text first"),
        (
            pdf([[], *([(9, f"Scan of the registry, page {n}")] for n in range(4))]),
            "unsupported",
            "recognise the text",
        ),
        (pdf([[(11, "A line of text.")]] * 2_001), "too_large", "2,001 pages, but at most 2,000 are allowed"),
    ],
    ids=["empty", "another format", "cut", "scanned", "scanned and stamped", "too many pages"],
)
def test_what_cannot_be_read_is_refused_with_what_to_do(
    reader: DocumentReader, data: bytes, reason: str, message: str
) -> None:
    with pytest.raises(PageError, match=message) as refused:
        reader.read(data, PDF)
    assert refused.value.reason == reason
    assert reader.read(FEES, PDF).title == "Fee schedule"  # the next one is none the worse for it


def test_a_file_that_unpacks_to_more_than_fits_in_memory_is_too_large() -> None:
    bomb = packed_pdf(b"BT /F1 11 Tf 50 700 Td " + b"(some text) Tj " * 2_000_000 + b" ET")
    assert len(bomb) < 200_000
    reader = DocumentReader(timeout=20, memory_bytes=200 * 1024**2)
    with pytest.raises(PageError, match="needs more than 210 MB of memory") as refused:
        reader.read(bomb, PDF)
    assert refused.value.reason == "too_large"
    assert reader.read(FEES, PDF).title == "Fee schedule"
    reader.close()


def test_without_its_package_a_pdf_is_refused_with_the_command_that_installs_it(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr(packages, "find_spec", lambda _name: None)
    with pytest.raises(PageError, match=r"pip install 'auskunft\[documents\]'"):
        DocumentConverter().convert(RawField(text="JVBERi0=", media_type=PDF), "")


def test_a_pdf_in_a_folder_is_a_page_with_the_address_of_its_file(tmp_path: Path) -> None:
    (tmp_path / "Fee schedule.pdf").write_bytes(FEES)
    source = FilesSource("files", str(tmp_path), base_url="https://otterfurt.example/files")
    [page] = source.pages("Fee schedule.pdf") or ()
    source.close()
    assert (page.ref.id, page.ref.language) == ("Fee schedule.pdf", "en")
    assert page.url == "https://otterfurt.example/files/Fee%20schedule.pdf"
    assert {name: page.fields[name].text for name in ("name", "title")} == dict.fromkeys(
        ("name", "title"), "Fee schedule"
    )

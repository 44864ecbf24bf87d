"""Pages with their Markdown beside them; the Markdown was written to be read, not only compared."""

import re
from pathlib import Path

import pytest

from ingest.converters.html import HtmlConverter
from ingest.types import RawField

GOLDEN = sorted((Path(__file__).parent / "golden").glob("*.html"))


@pytest.mark.parametrize("page", GOLDEN, ids=lambda path: path.stem)
def test_a_page_becomes_this_markdown(page: Path) -> None:
    field = RawField(text=page.read_text("utf-8"), media_type="text/html")
    markdown = HtmlConverter().convert(field, "https://example.org/town/hall.html")
    assert markdown + "\n" == page.with_suffix(".md").read_text("utf-8")


@pytest.mark.parametrize("page", GOLDEN, ids=lambda path: path.stem)
def test_golden_markdown_has_nothing_hidden_no_line_end_blanks_and_no_gaps(page: Path) -> None:
    markdown = page.with_suffix(".md").read_text("utf-8")
    assert "lost" not in markdown
    assert not re.search(r"[ \t]$", markdown, re.M)
    assert not re.search(r"\n{3}", re.sub(r"(?s)(`{3,}).*?\1", "code", markdown))

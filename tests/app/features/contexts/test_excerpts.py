"""What of a document is given with a chunk: all of it, its chapter, or what is around it."""

from app.chat.model.tokens import estimate
from app.features.contexts.excerpts import DocumentExcerpts, Excerpt
from ingest.chunkers.windows import WindowsChunker
from ingest.types import Chunk, Page
from tests.fakes.world import raw_page

SENTENCE = "The fee is due in spring and is a little higher for the second one. "


def page_of(content: str) -> Page:
    """A page with this content."""
    raw = raw_page("fees", {"title": "Fees"})
    return Page(
        ref=raw.ref,
        document=raw.document,
        sequence=1,
        url=raw.url,
        fields={"title": "Fees", "content": content},
    )


def cut(page: Page) -> list[Chunk]:
    """The chunks of its content."""
    return [chunk for chunk in WindowsChunker().chunk(page) if chunk.field == "content"]


def test_a_document_that_fits_is_given_as_a_whole() -> None:
    page = page_of(f"# Dogs\n\n{SENTENCE * 20}")
    excerpts = DocumentExcerpts(page, 6_000)
    given = {excerpts.of(chunk) for chunk in cut(page)}
    assert given == {Excerpt(outline="", text=page.fields["content"])}


def test_of_a_longer_one_the_largest_chapter_that_fits_is_given_and_the_outline() -> None:
    chapters = [
        f"# Part {n}\n\n## Dogs {n}\n\n{SENTENCE * 8}\n\n## Cats {n}\n\n{SENTENCE * 8}\n\n" for n in range(5)
    ]
    page = page_of("".join(chapters))
    excerpts = DocumentExcerpts(page, 700)
    for chunk in cut(page):
        excerpt = excerpts.of(chunk)
        assert excerpt.text.startswith("# Part")
        assert excerpt.text == next(each for each in chapters if excerpt.text == each)
        assert excerpt.outline.startswith("Fees\n# Part 0\n## Dogs 0")


def test_a_subchapter_is_given_where_its_chapter_is_too_long() -> None:
    page = page_of(f"# Part\n\n## Dogs\n\n{SENTENCE * 22}\n\n## Cats\n\n{SENTENCE * 22}\n")
    excerpts = DocumentExcerpts(page, 500)
    assert excerpts.of(cut(page)[1]).text.startswith("## Dogs")
    assert excerpts.of(cut(page)[-1]).text.startswith("## Cats")


def test_without_headings_what_is_around_the_chunk_is_given_the_same_for_neighbours() -> None:
    page = page_of(" ".join(f"{number:04} {SENTENCE}" for number in range(400)))
    excerpts = DocumentExcerpts(page, 1_000)
    chunks = cut(page)
    given = [excerpts.of(chunk).text for chunk in chunks]
    for chunk, text in zip(chunks, given, strict=True):
        assert chunk.text.strip()[30:-30] in text
        assert estimate(text, "en") <= 1_000
    assert len(set(given)) < len(chunks) / 2


def test_any_text_is_cut_to_what_fits() -> None:
    for content in ("x" * 50_000, "ü" * 50_000, "1 " * 20_000, "# \n" * 10_000):
        page = page_of(content)
        excerpts = DocumentExcerpts(page, 500)
        for chunk in cut(page)[::20]:
            assert estimate(excerpts.of(chunk).text, "en") <= 500

"""What is in a page's row besides its text."""

from pathlib import Path

from app.search.analysis import token_ids, tokens
from app.search.embedded import schema
from app.search.embedded.database import Database, create
from app.search.embedded.pages import PageMemory
from app.search.embedded.updates import apply
from tests.contracts.embedded_pages import DIMS, embedded


def test_the_tokens_are_those_of_all_fields_content_first(tmp_path: Path) -> None:
    path = tmp_path / "generation.sqlite"
    create(path, schema.GENERATION, version=schema.GENERATION_VERSION, journal="WAL")
    page = embedded("p", name="n", title="Dogs", description="d", keywords="k", content="Every swimming pool")
    with Database(path, schema.GENERATION_VERSION).writing() as connection:
        apply(connection, page, DIMS, {})
        [stored] = PageMemory().pages(connection, [1]).values()
    expected = tokens("Every swimming pool n Dogs d k", "en")
    assert stored.tokens.tolist() == token_ids(expected).tolist()

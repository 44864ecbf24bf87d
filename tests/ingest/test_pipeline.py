"""What a page becomes before it is embedded."""

from collections.abc import Mapping, Sequence
from dataclasses import replace
from datetime import UTC, datetime

import pytest

from ingest.chunkers.windows import WindowsChunker
from ingest.embedders.hashing import HashingEmbedder
from ingest.pipeline import Pipeline
from ingest.types import PageRef, RawField, RawPage, Vectors

NOTICE = RawPage(
    ref=PageRef(source="town", id="notice", language="de"),
    document="notice",
    url="https://town.example/notice",
    fields={"content": RawField(text="Der Markt fällt aus.", media_type="text/plain")},
    publish_from=datetime(2026, 3, 5, 8, tzinfo=UTC),
)


class _NoVectors:
    """Knows no vectors and keeps none."""

    def get(self, recipe: str, hashes: Sequence[str]) -> dict[str, Vectors]:
        return {}

    def put(self, recipe: str, vectors: Mapping[str, Vectors]) -> None:
        pass

    def discard(self, recipe: str, hashes: Sequence[str]) -> None:
        """There is nothing."""


def pipeline() -> Pipeline:
    """One that takes texts for Markdown."""
    return Pipeline(
        convert=lambda page: {name: field.text for name, field in page.fields.items()},
        chunker=WindowsChunker(),
        embedder=HashingEmbedder(),
        cache=_NoVectors(),
    )


@pytest.mark.parametrize(
    ("raw", "published"),
    [
        (NOTICE, "2026-03-05"),
        (replace(NOTICE, metadata={"published": "2020-01-01"}), "2020-01-01"),
        (replace(NOTICE, publish_from=None), None),
    ],
)
def test_a_page_keeps_the_day_from_which_it_was_to_be_seen_unless_its_source_names_another(
    raw: RawPage, published: str | None
) -> None:
    assert pipeline().prepare(raw, 1).page.metadata.get("published") == published


def test_what_html_says_in_json_ld_is_kept_beside_the_text_and_never_taken_from_a_sender() -> None:
    script = '<script type="application/ld+json">{"name": "Market", "telephone": "069 1"}</script>'
    for media_type, kept in (("text/html", True), ("text/x-web-page", True), ("text/markdown", False)):
        field = RawField(text=f"{script}<p>Der Markt</p>", media_type=media_type)  # type: ignore[arg-type]
        raw = replace(NOTICE, fields={"content": field}, metadata={"json_ld": '[{"telephone": "666"}]'})
        said = pipeline().prepare(raw, 1).page.metadata.get("json_ld", "")
        assert said == ('[{"name": "Market", "telephone": "069 1"}]' if kept else "")

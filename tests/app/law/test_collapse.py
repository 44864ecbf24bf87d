"""One hit for a unit."""

from app.law.collapse import collapsed
from app.search.fusion import Scored
from app.search.types import Candidate, IndexedPage
from ingest.types import PageRef


def found(
    page_id: str, language: str, score: float, celex: str = "32020R0001", source: str = "law"
) -> Scored:
    """A candidate with its score; without ``celex`` a web page."""
    page = IndexedPage(
        ref=PageRef(source=source, id=page_id, language=language),
        document="",
        sequence=1,
        url="",
        kind="article",
        updated=None,
        fields={},
        metadata={"celex": celex, "version": page_id[11:21]} if celex else {},
    )
    return score, Candidate(page=page, chunks={}, near_fields=frozenset(), keyword=True, coverage=0.0)


def shown(scored: list[Scored], language: str | None = None) -> list[str]:
    """What remains: id, language, score."""
    return [f"{c.page.ref.id} {c.page.ref.language} {s}" for s, c in collapsed(scored, language)]


def test_the_best_text_of_a_unit_stands_for_all() -> None:
    scored = [
        found("32020R0001@2020-01-01/art_1", "en", 1.0),
        found("32020R0001@2020-01-01/art_2", "en", 0.9),
        found("32020R0001@2020-01-01/art_1", "fr", 0.8),
        found("32020R0001@2024-01-01/art_1", "en", 0.7),
    ]
    assert shown(scored) == ["32020R0001@2020-01-01/art_1 en 1.0", "32020R0001@2020-01-01/art_2 en 0.9"]


def test_a_text_in_the_questions_language_is_shown_if_it_is_nearly_as_good() -> None:
    near = [found("32020R0001@2020-01-01/art_1", "en", 1.0), found("32020R0001@2020-01-01/art_1", "fr", 0.85)]
    far = [found("32020R0001@2020-01-01/art_1", "en", 1.0), found("32020R0001@2020-01-01/art_1", "fr", 0.84)]
    assert shown(near, "fr") == ["32020R0001@2020-01-01/art_1 fr 1.0"]
    assert shown(far, "fr") == ["32020R0001@2020-01-01/art_1 en 1.0"]


def test_parts_acts_and_sources_are_told_apart() -> None:
    scored = [
        found("32020R0001@2020-01-01/anx_I", "en", 1.0),
        found("32020R0001@2020-01-01/anx_I.B", "en", 0.9),
        found("32021L0002@2020-01-01/anx_I", "en", 0.8, celex="32021L0002"),
        found("32020R0001@2020-01-01/anx_I", "en", 0.7, source="other"),
    ]
    assert len(shown(scored)) == 4


def test_web_pages_stay_in_all_their_languages() -> None:
    scored = [found("about", "en", 1.0, celex=""), found("about", "de", 0.9, celex="")]
    assert shown(scored, "de") == ["about en 1.0", "about de 0.9"]

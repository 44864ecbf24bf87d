"""What is read beside hits."""

import json
from collections.abc import Sequence
from dataclasses import replace
from datetime import date

from app.law.linked_units import LinkCandidates, with_definitions, with_links, with_own_passages
from app.law.links import ActTexts
from app.law.scope import Scope
from app.law.terms import defined_terms
from app.law.versions import ActVersion
from app.presets import LinksPreset
from app.search.retrieval import Hit, Passage, Retrieval
from app.search.types import Candidate, IndexedPage
from ingest.types import PageRef

DAY = date(2020, 1, 1)
ACTS = ("32020R0001", "32020R0002")
VERSIONS = [
    ActVersion(
        source="law",
        celex=celex,
        version=DAY,
        language="en",
        document=f"{celex}@{DAY}/en",
        name=celex,
        recitals=True,
        terms=defined_terms({"ferry": "art_9", "quay": "art_9"}, "en"),
    )
    for celex in ACTS
]
LINKS = LinksPreset(hits=9, pages=2, bytes=1_000, share=0.25)
SCOPE = Scope(versions=VERSIONS, texts=ActTexts(VERSIONS))


def page(unit: str, *references: str, celex: str = ACTS[0], content: str = "Text.") -> IndexedPage:
    kind = {"art": "article", "rct": "recital", "anx": "annex"}[unit[:3]]
    return IndexedPage(
        ref=PageRef(source="law", id=f"{celex}@{DAY}/{unit}", language="en"),
        document=f"{celex}@{DAY}/en",
        sequence=1,
        url="",
        kind=kind,
        updated=None,
        fields={"content": content},
        content_spans=((0, len(content.encode())),),
        metadata={
            "celex": celex,
            "version": str(DAY),
            "unit": unit,
            "references": json.dumps([f"{celex}/{other}" for other in references]),
        },
    )


def hit(found: IndexedPage, rank: int = 1) -> Hit:
    return Hit(rank=rank, page=found, score=1.0, coverage=0.0, similarity={"content": 0.9}, passages=())


def candidate(found: IndexedPage) -> Candidate:
    return Candidate(page=found, chunks={}, near_fields=frozenset(), keyword=True, coverage=0.5)


def library(refs: Sequence[PageRef]) -> list[IndexedPage]:
    """Every unit that is asked for; article 9 defines two terms."""
    text = "In this act:\n\n- (1) ‘ferry’ means a ship;\n- (2) ‘quay’ means a wall;"
    return [
        page(unit, celex=celex, content=text if unit == "art_9" else "Text.")
        for celex, unit in ((ref.id.partition("@")[0], ref.id.rpartition("/")[2]) for ref in refs)
    ]


def units(hits: Sequence[Hit]) -> list[list[str]]:
    return [[linked.page.ref.id.rpartition("/")[2] for linked in each.linked] for each in hits]


def linked(
    hits: Sequence[Hit],
    *,
    candidates: Sequence[Candidate] = (),
    recitals: Sequence[Candidate] = (),
    links: LinksPreset = LINKS,
) -> tuple[Hit, ...]:
    return with_links(hits, LinkCandidates(candidates=candidates, recitals=recitals), SCOPE, library, links)


def test_of_what_a_hit_refers_to_the_first_pages_are_read() -> None:
    assert units(linked([hit(page("art_1", "art_2", "art_3", "art_4"))])) == [["art_2", "art_3"]]


def test_what_the_search_brought_is_read_before_what_only_the_text_names() -> None:
    found = linked([hit(page("art_1", "art_2", "art_3", "art_4"))], candidates=[candidate(page("art_4"))])
    assert units(found) == [["art_4", "art_2"]]
    assert [each.coverage for each in found[0].linked] == [0.5, 0.0]


def test_only_the_first_hits_lead_on() -> None:
    hits = [hit(page("art_1", "art_2")), hit(page("art_5", "art_6"), 2)]
    assert units(linked(hits, links=LinksPreset(hits=1, pages=2, bytes=1_000, share=0.25))) == [["art_2"], []]


def test_the_first_article_of_each_act_brings_two_recitals() -> None:
    recitals = [candidate(page(f"rct_{n}")) for n in range(1, 5)]
    recitals.append(candidate(page("rct_1", celex=ACTS[1])))
    hits = [
        hit(page("anx_I")),
        hit(page("art_1"), 2),
        hit(page("art_2"), 3),
        hit(page("art_1", celex=ACTS[1]), 4),
    ]
    assert units(linked(hits, recitals=recitals)) == [[], ["rct_1", "rct_2"], [], ["rct_1"]]


def test_of_a_long_page_its_beginning_is_read() -> None:
    def long(refs: Sequence[PageRef]) -> list[IndexedPage]:
        text = "A sentence. " * 500
        made = page(refs[0].id.rpartition("/")[2], content=text)
        spans = tuple((start, start + 500) for start in range(0, 6_000, 500))
        return [replace(made, content_spans=spans)]

    links = LinksPreset(hits=1, pages=1, bytes=1_200, share=0.25)
    nothing = LinkCandidates(candidates=(), recitals=())
    [found] = with_links([hit(page("art_1", "art_2"))], nothing, SCOPE, long, links)
    assert [(passage.start, passage.end) for passage in found.linked[0].passages] == [(0, 1_000)]


def test_definitions_come_before_what_a_hit_refers_to() -> None:
    hits = with_definitions("Where do ferries wait?", linked([hit(page("art_1", "art_2"))]), SCOPE, library)
    assert units(hits) == [["art_9", "art_2"]]
    assert [passage.text for passage in hits[0].linked[0].passages] == ["- (1) ‘ferry’ means a ship;\n"]


def test_terms_are_those_of_the_hits_language() -> None:
    french = [replace(VERSIONS[0], language="fr")]
    scope = Scope(versions=french, texts=ActTexts(french))
    assert units(with_definitions("Where do ferries wait?", [hit(page("art_1"))], scope, library)) == [[]]


def test_a_page_that_is_linked_and_found_has_the_scores_and_passages_of_both() -> None:
    defining = page("art_9", content="One. Two. Three.")
    found = Hit(
        rank=2,
        page=defining,
        score=0.5,
        coverage=0.0,
        similarity={"content": 0.8},
        passages=(_passage(defining, 10, 16),),
    )
    first = Hit(
        rank=1,
        page=page("art_1"),
        score=1.0,
        coverage=0.0,
        similarity={},
        passages=(),
        linked=(replace(found, similarity={}, passages=(_passage(defining, 0, 4),), link="definition"),),
    )
    hits = with_own_passages([first, hit(page("art_3"), 3), found])
    [merged] = hits[0].linked
    assert [passage.text for passage in merged.passages] == ["One.", "Three."]
    assert (merged.similarity, merged.link) == ({"content": 0.8}, "definition")
    read = Retrieval(question="", mode="semantic", degraded=(), hits=hits).all_hits
    assert [each.page.ref.id.rpartition("/")[2] for each in read] == ["art_1", "art_3", "art_9"]


def test_every_linked_page_says_why_it_is_read() -> None:
    recitals = [candidate(page("rct_7"))]
    hits = linked([hit(page("art_1", "art_2"))], recitals=recitals)
    [first] = with_definitions("Where do ferries wait?", hits, SCOPE, library)
    assert [(each.page.ref.id.rpartition("/")[2], each.link) for each in first.linked] == [
        ("art_9", "definition"),
        ("art_2", "reference"),
        ("rct_7", "recital"),
    ]
    assert first.link is None


def _passage(found: IndexedPage, start: int, end: int) -> Passage:
    return Passage(field="content", start=start, end=end, text=found.fields["content"][start:end])

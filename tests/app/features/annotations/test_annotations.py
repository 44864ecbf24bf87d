"""What people annotate in units of law holds for a text, in the place of what is found automatically."""

import shutil
from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest
from sqlalchemy import event

from app import create_app
from app.errors import ConflictError, InputError, NotFoundError
from app.features.annotations.desk import AnnotationDesk
from app.features.annotations.services import AnnotationServices
from app.pages.audit import AuditLog
from app.services import Services
from app.settings.settings import load_settings
from ingest.converters.process import ConverterProcess
from ingest.types import PageRef, RawField, RawPage
from tests.app.features.annotations.law import import_law, index_all
from tests.app.law.ferries import FERRIES, HARBOURS, SECOND, SOURCE, library

TOKEN = "an-administrator-token-of-tests"
BEARER = {"Authorization": f"Bearer {TOKEN}"}
URL = "/api/admin/annotations"


@pytest.fixture
def services(indexed_law: Path, tmp_path: Path, converter: ConverterProcess) -> Iterator[Services]:
    data = shutil.copytree(indexed_law, tmp_path / "data")
    with Services(load_settings(data=data, embedder="hashing", admin_token=TOKEN)) as services:
        services.indexing.converter = converter
        yield services


@pytest.fixture
def desk(services: Services) -> AnnotationDesk:
    return services.feature(AnnotationServices).desk


def article(services: Services) -> PageRef:
    """The article that a question about dogs finds."""
    ref: PageRef = hit(services).page.ref
    return ref


def hit(services: Services) -> Any:
    sources = frozenset({SOURCE})
    found = services.chat.default.retriever.retrieve("Where do dogs travel on a ferry?", sources=sources)
    return next(each for each in found.hits if each.page.ref.id.endswith("/art_2"))


def linked(services: Services) -> list[str]:
    return [each.page.ref.id for each in hit(services).linked if each.link == "reference"]


def with_text(pages: list[RawPage], ref: PageRef, text: str) -> list[RawPage]:
    content = RawField(text=text, media_type="text/markdown")
    return [
        replace(page, fields={**page.fields, "content": content}) if page.ref == ref else page
        for page in pages
    ]


def spans(services: Services, ref: PageRef) -> list[str]:
    [page] = services.indexing.index.pages([ref])
    data = page.fields["content"].encode()
    return [data[start:end].decode() for start, end in page.content_spans]


def annotate(desk: AnnotationDesk, ref: PageRef, *references: str, version: int = 0) -> str:
    """Cut the unit in two, and set its references; the text of the second chunk."""
    text = desk.unit(ref).text
    cut = text.index(" ") + 1
    desk.save(ref, cuts=[cut], references=references, version=version, actor="kim")
    return text[cut:]


def test_an_answer_loads_the_annotated_reference_at_once(services: Services, desk: AnnotationDesk) -> None:
    ref = article(services)
    assert linked(services)[:1] != [f"{FERRIES}@{SECOND}/art_1"]
    annotate(desk, ref, f"{FERRIES}/art_1", f"{HARBOURS}/art_3", f"{FERRIES}/anx_I")
    found = linked(services)
    assert [name.rpartition("/")[2] for name in found] == ["art_1", "art_3", "anx_I"]


def test_a_unit_is_cut_as_it_was_annotated_and_survives_an_unchanged_import(
    services: Services, desk: AnnotationDesk
) -> None:
    ref = article(services)
    assert len(spans(services, ref)) == 1
    second = annotate(desk, ref, f"{FERRIES}/art_1")
    index_all(services)
    assert spans(services, ref)[1] == second
    import_law(services, library())
    services.store.requeue(SOURCE)
    index_all(services)
    assert spans(services, ref)[1] == second
    assert [name.rpartition("/")[2] for name in linked(services)] == ["art_1"]
    assert [state for _, state in desk.entries()] == ["current"]


def test_a_changed_text_is_flagged_and_nothing_is_lost(services: Services, desk: AnnotationDesk) -> None:
    ref, automatic = article(services), linked(services)
    second = annotate(desk, ref, f"{FERRIES}/art_1")
    text = desk.unit(ref).text
    changed = with_text(library(), ref, f"{text} Birds do, too.")
    import_law(services, changed)
    [(kept, state)] = desk.entries()
    assert (state, kept.text, kept.references) == ("changed", text, (f"{FERRIES}/art_1",))
    unit = desk.unit(ref)
    assert (unit.annotation, [each.number for each in unit.earlier]) == (None, [kept.number])
    assert len(spans(services, ref)) == 1
    assert linked(services) == automatic
    import_law(services, library())
    assert [state for _, state in desk.entries()] == ["current"]
    assert spans(services, ref)[1] == second


FAQ = PageRef(source=SOURCE, id="faq", language="en")
QUESTIONS = (
    "## Where do dogs travel on a ferry?\n\nDogs travel on the sunny deck.",
    "## Who pays for parrots?\n\nParrots travel free of charge, whatever their colour.",
)


def import_faq(services: Services) -> None:
    content = RawField(text="\n\n".join(QUESTIONS), media_type="text/markdown")
    page = RawPage(ref=FAQ, document="faq", url="https://town.example/faq", fields={"content": content})
    import_law(services, [page])


def test_a_page_of_a_website_is_cut_by_question_and_refers_to_law(
    services: Services, desk: AnnotationDesk
) -> None:
    import_faq(services)
    text = desk.unit(FAQ).text
    cut = text.index("## Who")
    desk.save(FAQ, cuts=[cut], references=[f"{FERRIES}/art_1"], version=0, actor="kim")
    index_all(services)
    assert [part.strip() for part in spans(services, FAQ)] == list(QUESTIONS)
    [(annotation, state)] = desk.entries()
    assert (annotation.name, state, desk.newest({annotation.key})) == (
        "faq",
        "current",
        {annotation.key: FAQ},
    )
    assert units_after(services, "Who pays for parrots?") == ["art_1"]
    import_faq(services)
    assert [state for _, state in desk.entries()] == ["current"]


def units_after(services: Services, question: str) -> list[str]:
    """The units that are read after the questions and answers."""
    found = services.chat.default.retriever.retrieve(question, sources=frozenset({SOURCE}))
    [faq] = [each for each in found.hits if each.page.ref == FAQ]
    return [each.page.ref.id.rpartition("/")[2] for each in faq.linked if each.link == "reference"]


def test_a_reference_of_one_chunk_is_read_with_that_chunk_alone(
    services: Services, desk: AnnotationDesk
) -> None:
    import_faq(services)
    cut = desk.unit(FAQ).text.index("## Who")
    references = [f"2:{FERRIES}/anx_I", f"{HARBOURS}/art_3", f"1:{FERRIES}/art_1"]
    desk.save(FAQ, cuts=[cut], references=references, version=0, actor="kim")
    index_all(services)
    assert units_after(services, "Where do dogs travel on a ferry?") == ["art_3", "art_1"]
    assert units_after(services, "Who pays for parrots?") == ["anx_I", "art_3"]


def test_references_of_chunks_become_the_pages_where_a_cut_is_gone(
    services: Services, desk: AnnotationDesk
) -> None:
    import_faq(services)
    unit = desk.unit(FAQ)
    cuts = [unit.text.index("Dogs"), unit.text.index("## Who")]
    references = [f"3:{FERRIES}/art_1", f"1:{FERRIES}/art_1"]
    saved = desk.save(FAQ, cuts=cuts, references=references, version=0, actor="kim")
    assert unit.taken_over(saved) == (tuple(cuts), tuple(references))
    changed = replace(unit, text=unit.text.replace("Dogs", "Cats"))
    assert changed.taken_over(saved) == ((cuts[1],), (f"{FERRIES}/art_1",))


def test_an_annotation_of_a_unit_that_is_gone_is_listed(services: Services, desk: AnnotationDesk) -> None:
    ref = article(services)
    annotate(desk, ref)
    import_law(services, [page for page in library() if not page.ref.id.endswith("/art_2")])
    assert [state for _, state in desk.entries()] == ["missing"]


def test_a_longer_list_asks_the_database_no_more_often(services: Services, desk: AnnotationDesk) -> None:
    asked: list[str] = []

    @event.listens_for(services.engine, "before_cursor_execute")
    def note(_connection: Any, _cursor: Any, statement: str, *_others: Any) -> None:
        asked.append(statement)

    def listed() -> tuple[int, int]:
        asked.clear()
        entries = desk.entries()
        newest = desk.newest({each.key for each, _ in entries})
        assert len(newest) == len(entries)
        return len(entries), len(asked)

    ref = article(services)
    annotate(desk, ref)
    _, often = listed()
    for unit in ("art_1", "anx_I"):
        annotate(desk, replace(ref, id=f"{FERRIES}@{SECOND}/{unit}"))
    assert listed() == (3, often)


def test_what_is_removed_is_found_automatically_again(services: Services, desk: AnnotationDesk) -> None:
    ref, automatic = article(services), linked(services)
    annotate(desk, ref, f"{FERRIES}/art_1")
    number = desk.entries()[0][0].number
    desk.remove(number, 1, "lee")
    index_all(services)
    assert (linked(services), len(spans(services, ref))) == (automatic, 1)
    actions = [(entry.actor, entry.action) for entry in AuditLog(services.engine).entries()]
    assert actions == [("lee", "annotation.remove"), ("kim", "annotation.save")]


def test_of_two_who_annotate_a_text_the_second_is_told_of_the_first(
    services: Services, desk: AnnotationDesk
) -> None:
    ref = article(services)
    annotate(desk, ref)
    for version in (0, 2):
        with pytest.raises(ConflictError, match="kim annotated this text"):
            annotate(desk, ref, version=version)
    annotate(desk, ref, f"{FERRIES}/art_1", version=1)
    assert desk.entries()[0][0].version == 2


@pytest.mark.parametrize(
    ("cuts", "references", "message"),
    [
        ([0], None, "increasing numbers"),
        ([5, 5], None, "increasing numbers"),
        ([10_000_000], None, "increasing numbers"),
        ([-5], None, "increasing numbers"),
        (list(range(1, 300)), None, "at most 200"),
        (None, ["art_3"], "use CELEX/unit"),
        (None, ["../../etc/passwd"], "use CELEX/unit"),
        (None, [f"{FERRIES}/art_1"] * 2, "twice"),
        (None, [f"1:{FERRIES}/art_1"], "a chunk that does not exist: only 0 are set"),
        ([5], [f"3:{FERRIES}/art_1"], "a chunk that does not exist: only 2 are set"),
        ([5], [f"0:{FERRIES}/art_1"], "use CELEX/unit"),
        (None, [f"{FERRIES}/art_{n}" for n in range(51)], "at most 50"),
    ],
)
def test_what_cannot_be_annotated_is_refused(
    services: Services,
    desk: AnnotationDesk,
    cuts: list[int] | None,
    references: list[str] | None,
    message: str,
) -> None:
    with pytest.raises(InputError, match=message):
        desk.save(article(services), cuts=cuts, references=references, version=0, actor="kim")
    assert desk.entries() == []


def test_an_editor_annotates_their_own_sources_alone(services: Services, desk: AnnotationDesk) -> None:
    ref = article(services)
    annotate(desk, ref)
    assert desk.entries(sources=["town"]) == []
    for forbidden in (
        lambda: desk.unit(ref, sources=["town"]),
        lambda: desk.save(ref, cuts=None, references=[], version=1, actor="x", sources=["town"]),
        lambda: desk.remove(desk.entries()[0][0].number, 1, "x", sources=["town"]),
        lambda: desk.unit(PageRef(source=SOURCE, id="x", language="en")),
    ):
        with pytest.raises(NotFoundError):
            forbidden()


def test_units_are_annotated_by_http(services: Services) -> None:
    client = create_app(services=services).test_client()
    ref = article(services)
    query = {"source": ref.source, "id": ref.id, "language": ref.language}
    unit = client.get(f"{URL}/unit", query_string=query, headers=BEARER).json or {}
    assert unit["annotation"] is None
    body = {"version": 0, "cuts": [5], "references": [f"{FERRIES}/art_1"]}
    saved = client.put(f"{URL}/unit", query_string=query, json=body, headers=BEARER).json or {}
    assert (saved["cuts"], saved["references"], saved["changed_by"]) == (
        [5],
        body["references"],
        "admin token",
    )
    assert client.put(f"{URL}/unit", query_string=query, json=body, headers=BEARER).status_code == 409
    bad = client.put(f"{URL}/unit", query_string=query, json=body | {"cuts": ["x"]}, headers=BEARER)
    assert bad.status_code == 422
    [listed] = (client.get(URL, headers=BEARER).json or {})["annotations"]
    assert (listed["number"], listed["state"]) == (saved["number"], "current")
    assert client.get(f"{URL}/unit", query_string=query).status_code == 401
    gone = client.delete(f"{URL}/{saved['number']}?version=1", headers=BEARER)
    assert gone.status_code == 204
    assert client.delete(f"{URL}/{saved['number']}?version=1", headers=BEARER).status_code == 404

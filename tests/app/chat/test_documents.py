"""What programs and pages are told of an answer."""

from dataclasses import replace

from app.chat.context import source_item
from app.chat.documents import AnswerDocument, more_html, source_documents
from app.chat.events import DoneEvent
from tests.app.chat.pages import hit, page, retrieval

QUESTION = "How much is it?"
DOG_TAX = hit(page("dog-tax", title="Dog tax", content="It is 96 euros.\n\n## Exemptions\n\nGuide dogs.\n"))
QUOTED = DoneEvent(
    answer="It is 96 euros [1].",
    status="extractive",
    mode="semantic",
    degraded=(),
    model=None,
    sources=(source_item(DOG_TAX, 1, "It is 96 euros."),),
    citations=(1,),
    retrieval=retrieval(QUESTION, DOG_TAX),
    language="en",
)


def test_what_else_the_page_has_is_told_where_there_is_more() -> None:
    more = replace(QUOTED, more=("> **Exemptions**\n>\n> Guide dogs. [1]",))
    sources = source_documents(QUESTION, more)
    document = AnswerDocument.of(QUESTION, more, sources).to_json()
    assert document["more"] == ["> **Exemptions**\n>\n> Guide dogs. [1]"]
    assert "more" not in AnswerDocument.of(QUESTION, QUOTED, sources).to_json()
    html = more_html(document["more"], sources)
    assert html is not None
    assert html.startswith("<blockquote>\n<p><strong>Exemptions</strong></p>")
    assert 'href="#source-1"' in html
    assert more_html((), sources) is None


def test_nothing_is_suggested_behind_what_only_comes_near_to_the_question() -> None:
    near = replace(QUOTED, retrieval=replace(retrieval(QUESTION, DOG_TAX), certainty="near"))
    assert AnswerDocument.of(QUESTION, QUOTED, ()).to_json()["suggestions"] == ["Exemptions – Dog tax"]
    assert AnswerDocument.of(QUESTION, near, ()).to_json()["suggestions"] == []
    assert AnswerDocument.of(QUESTION, replace(near, status="answered"), ()).to_json()["suggestions"] == [
        "Exemptions – Dog tax"
    ]

"""Streamed blocks are final, safe, and the same as the whole rendered at once."""

import re
from dataclasses import replace
from html.parser import HTMLParser
from itertools import pairwise
from typing import Final

import pytest
from hypothesis import example, given, settings
from hypothesis import strategies as st

from app.chat.context import plan_context
from app.chat.documents import SourceDocument
from app.chat.text.render import ATTRIBUTES, CLASSES, TAGS, BlockRenderer, renderer_of
from tests.app.chat.pages import hit, page
from tests.app.site import XSS

PAGE: Final = "https://town.example/dog-tax"

LINES: Final = st.sampled_from(
    [
        "", " ", "text", "more text [1]", "# Heading", "Setext\n===", "---", "--", "***", "- item", "* item",
        "  - nested", "1. one", "2) two", "    code", "\tcode", "```", "```python", "~~~", "> quote", ">",
        "> - x",
        "a | b", "--|--", "| a | b |", "|---|---|", "| 1 | 2 |", f"[link]({PAGE})", "[x]: https://evil.example",
        "![i](https://evil.example/i.png)", "<div>", "</div>", "<!-- x", "-->", "**bold", "*em*", "~~gone~~",
        "`code`", "``", "\\", "&amp;", "line  ", "<script>", "a\u200bb", "\u2028", "\r", "   ", "-", "+",
        "0.", "|", "so [not found in the sources]", "[nicht in den Quellen](x)",
        "\x0b", "\x1c", "[1", "2]", "a [1, 2]", "b [1-12]:", "[1]: x", f"<{PAGE}>",
    ]
)  # fmt: skip
MARKDOWN: Final = st.lists(LINES | st.text(max_size=12), max_size=14).map("\n".join)


def renderer() -> BlockRenderer:
    return BlockRenderer(links=[PAGE], numbers=[1, 2, 12])


def streamed(pieces: list[str]) -> list[str]:
    made = renderer()
    return [html for piece in pieces for html in made.feed(piece)] + list(made.close())


class Elements(HTMLParser):
    """Collects the start tags that a browser would see."""

    def __init__(self, html: str) -> None:
        super().__init__()
        self.found: list[tuple[str, dict[str, str | None]]] = []
        self.feed(html)
        self.close()

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        self.found.append((tag, dict(attrs)))


class Text(HTMLParser):
    """Collects the text that a browser would show."""

    def __init__(self, html: str) -> None:
        super().__init__()
        self._text = ""
        self.feed(html)
        self.close()

    def handle_data(self, data: str) -> None:
        self._text += data

    def without_citations(self) -> str:
        return re.sub(r"\[[0-9, –-]+\]", "", self._text)


def assert_harmless(html: str) -> None:
    allowed = {tag: names | {"rel", "class"} for tag, names in ATTRIBUTES.items()}
    for tag, attributes in Elements(html).found:
        assert tag in TAGS
        assert attributes.keys() <= allowed.get(tag, set())
        assert attributes.get("class") is None or attributes["class"] in CLASSES[tag]
        assert tag != "a" or re.fullmatch(
            rf"{PAGE}(#.*)?|#source-\d+|tel:\+?\d+|mailto:[^?]+", attributes["href"] or ""
        )


@settings(deadline=None, max_examples=300)
@given(MARKDOWN, st.lists(st.integers(0, 300), max_size=12))
@example("para\n---x", [9])
@example("a | b\n--|--\n1 | 2", [6, 9])
@example("x\na | b\n--|--", [2, 8])
@example("- a\n\n\n  b\n\nc", [4, 5, 6])
@example("> a\nb\n\nc", [4])
@example("a\r\n- b\r\n", [2])
def test_any_split_gives_the_same_blocks_as_the_whole(text: str, cuts: list[int]) -> None:
    bounds = [0, *sorted(min(cut, len(text)) for cut in cuts), len(text)]
    pieces = [text[start:end] for start, end in pairwise(bounds)]
    assert "".join(streamed(pieces)) == renderer().render(text)
    assert "".join(streamed(list(text))) == renderer().render(text)


@settings(deadline=None)
@given(MARKDOWN | st.text())
def test_nothing_but_listed_tags_and_attributes_comes_out(text: str) -> None:
    assert_harmless(renderer().render(text))


@pytest.mark.parametrize("payload", XSS)
@pytest.mark.parametrize(
    "frame", ["{}", "# {}", "- {}", "> {}", "| {} |\n|---|", "**{}**", "[{}]({})", "`{}`"]
)
def test_hostile_markup_is_harmless_everywhere(payload: str, frame: str) -> None:
    html = renderer().render(frame.replace("{}", payload))
    assert_harmless(html)
    assert "<script" not in html
    assert "<img" not in html


@pytest.mark.parametrize(
    "address",
    [
        "javascript:alert(1)",
        "JaVaScRiPt:alert(1)",
        "java&#x73;cript:alert(1)",
        "data:text/html,<script>alert(1)</script>",
        "vbscript:x",
        "//evil.example/",
        "https://evil.example/",
        f"{PAGE}.evil.example/",
        f"{PAGE}/../secret",
        f"{PAGE}?x=1",
        "/relative",
        "#source-99",
        "file:///etc/passwd",
    ],
)
@pytest.mark.parametrize("frame", ["[text]({})", "![text]({})", "<{}>", "[text](<{}>)"])
def test_links_that_lead_elsewhere_become_their_text(address: str, frame: str) -> None:
    assert "<a" not in renderer().render(frame.replace("{}", address))


@pytest.mark.parametrize("address", [PAGE, f"{PAGE}#prices"])
def test_a_link_to_a_source_stays(address: str) -> None:
    html = renderer().render(f"See [the **page**]({address}).")
    assert f'<a href="{address}" rel="noopener noreferrer">the <strong>page</strong></a>' in html


def test_a_source_with_a_hostile_address_is_not_linked() -> None:
    html = BlockRenderer(links=["javascript:alert(1)"]).render("[text](javascript:alert(1))")
    assert "javascript:alert" not in html or "<a" not in html
    assert "href" not in html


@pytest.mark.parametrize(
    ("text", "numbers"),
    [
        ("It is so [1].", ["1"]),
        ("It is so [1][2].", ["1", "2"]),
        ("It is so [2, 1].", ["2", "1"]),
        ("It is so [1,2].", ["1", "2"]),
        ("It is so [1; 2].", ["1", "2"]),
        ("It is so [1 und 2].", ["1", "2"]),
        ("It is so [1–2].", ["1", "2"]),
        ("It is so [12-99].", ["12"]),
        ("It is so [1, 9].", ["1"]),
        ("是［１，２］。", ["1", "2"]),
        ("It is so [1]:", ["1"]),
        ("[1]: https://evil.example", ["1"]),
        ("[1]: Yes\n\nIt is [so][1].", ["1", "1"]),
        ("- a [1]:\n  - b [2]", ["1", "2"]),
        ("| a [1]: | b |\n|---|---|\n| c [1, 2] | d |", ["1", "1", "2"]),
        ("Unknown [3].", []),
        ("`code [1]`", []),
        ("```\n[1]\n```", []),
        ("array[1]", []),
        (f"[a [1] b]({PAGE})", []),
    ],
)
def test_citations_of_known_sources_link_to_them(text: str, numbers: list[str]) -> None:
    html = renderer().render(text)
    assert re.findall(r'<a href="#source-(\d+)" class="citation"', html) == numbers


def test_each_number_of_a_citation_is_a_link_of_its_own() -> None:
    html = renderer().render("So [1, 2] it is.")
    links = [
        f'<a href="#source-{number}" class="citation" rel="noopener noreferrer">[{number}]</a>'
        for number in (1, 2)
    ]
    assert html == f"<p>So {links[0]}{links[1]} it is.</p>\n"


@settings(deadline=None)
@given(MARKDOWN)
def test_citations_are_linked_and_no_text_is_gained_or_lost(text: str) -> None:
    linked, plain = Text(renderer().render(text)), Text(BlockRenderer(links=[PAGE]).render(text))
    assert linked.without_citations() == plain.without_citations()


@pytest.mark.parametrize(
    ("text", "linked"),
    [
        ("See 32024R1689.", True),
        ("(CELEX:32024R1689)", True),
        ("See 32016R0679.", False),
        ("132024R1689", False),
        ("32024R16899", False),
        ("`32024R1689`", False),
        ("[32024R1689](https://elsewhere.example/)", False),
    ],
)
def test_the_celex_number_of_a_source_links_to_its_act(text: str, linked: bool) -> None:
    html = BlockRenderer(acts={"32024R1689": PAGE}).render(text)
    assert (f'<a href="{PAGE}" rel="noopener noreferrer">32024R1689</a>' in html) == linked
    assert ("<a" in html) == linked


def test_an_answers_acts_link_to_the_whole_act() -> None:
    article = page("a6", name="AI Act, Article 6", content="Text.")
    law = replace(article, url=f"{PAGE}#art_6", metadata={"celex": "32024R1689"})
    html = renderer_of([SourceDocument.of(plan_context([hit(law)], 1_000).sources[0], "").to_json()]).render(
        "In 32024R1689 [1]."
    )
    assert f'<a href="{PAGE}" rel="noopener noreferrer">32024R1689</a>' in html


def test_tables_lists_and_code_are_rendered() -> None:
    html = renderer().render("| a | b |\n|---|:-:|\n| 1 | 2 |\n\n3. x\n\n```js\n<b>\n```\n")
    assert "<th>a</th>" in html
    assert '<ol start="3">' in html
    assert "<code>&lt;b&gt;\n</code>" in html


def test_lines_that_begin_with_days_keep_their_numbers() -> None:
    html = renderer().render("31. Januar: Abgabe\n15. Februar: Rate\n16. August: Rate\n")
    assert '<ol start="31">\n<li>Januar' in html
    assert '<li value="15">Februar' in html
    assert "<li>August" in html


def test_items_of_a_list_in_a_list_are_counted_apart() -> None:
    html = renderer().render("1. a\n2. b\n   1. x\n   5. y\n3. c\n")
    assert html.count("value=") == 1
    assert '<li value="5">y' in html


def test_a_block_comes_as_soon_as_a_blank_line_ends_it_or_the_next_one_starts() -> None:
    made = renderer()
    assert list(made.feed("First.\n")) == []
    assert list(made.feed("\n")) == ["<p>First.</p>\n"]
    assert list(made.feed("# Second\n")) == ["<h1>Second</h1>\n"]
    assert list(made.feed("- item\n\n")) == []
    assert made.pending == "- item\n\n"
    assert list(made.feed("Third.\n")) == ["<ul>\n<li>item</li>\n</ul>\n"]
    assert list(made.close()) == ["<p>Third.</p>\n"]
    assert made.pending == ""


def test_characters_that_do_not_show_are_left_out() -> None:
    assert renderer().render("a\u202eb\U000e0041c\u200bd") == "<p>abcd</p>\n"


def test_a_long_answer_is_rendered_in_linear_time() -> None:
    made = renderer()
    lines = [f"Paragraph {number} with some **text** [1].\n\n" for number in range(1_000)]
    blocks = [html for line in lines for html in made.feed(line)]
    assert len(blocks) == 1_000


def test_a_phone_number_and_an_address_stay_links_where_the_pages_own_link_goes() -> None:
    html = BlockRenderer().render("[069 90009-140](tel:+496990009140), [a@b.example](mailto:x@evil.example)")
    assert '<a href="tel:06990009140"' in html
    assert '<a href="mailto:a@b.example"' in html
    assert "evil" not in html


def test_the_lines_of_an_address_stay_lines_and_wrapped_text_is_joined() -> None:
    wrapped = "The tax office is on the first floor of the town hall, beside the stairs."
    html = BlockRenderer().render(f"Tax office\nMarket Square 1  \n00815 Otterfurt\n\n{wrapped}\nAsk there.")
    assert html == (
        f"<p>Tax office<br>\nMarket Square 1<br>\n00815 Otterfurt</p>\n<p>{wrapped}\nAsk there.</p>\n"
    )

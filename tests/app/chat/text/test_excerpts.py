"""Verbatim answers: what is quoted stands in the page, reads well and holds the question's words."""

import json
import re

from hypothesis import given
from hypothesis import strategies as st
from markdownify import markdownify

from app.chat.text.excerpts import QUOTE_CHARACTERS, QUOTES, quotes
from app.search.types import Hit
from tests.app.chat.pages import hit, page, passage
from tests.shared import PAGES, QUESTIONS, needs

POOL = """# Swimming pool

The pool lies at the lake. It was built in 1974.

## Opening hours

| Day | Hours |
|---|---|
| Monday | closed |
| Tuesday | 9 to 20 |

## Prices

You pay for a [day ticket](https://example.org/tickets):

* **Adults**: 5 euros
* Children: 2.50 euros [3]

Dogs are *not* allowed, see `rules.txt`.
"""


def quoted(question: str, *hits: Hit, language: str = "en") -> dict[int, str]:
    return quotes(question, language, dict(enumerate(hits, 1)))


def lines(quote: str) -> list[str]:
    """The quote's lines without what quoting adds."""
    bare = re.sub(r" \[\d+\]\Z", "", quote)
    found = [line.removeprefix(">").strip().removeprefix("- ").strip("*") for line in bare.split("\n")]
    return [line for line in found if line]


def test_the_sentences_with_the_questions_words_are_quoted_with_their_number() -> None:
    answer = quoted("How much do adults pay?", hit(page(content=POOL, title="Swimming pool")))
    assert answer[1] == (
        "> **Prices**\n>\n> You pay for a day ticket:\n>\n> - Adults: 5 euros\n> - Children: 2.50 euros\n>\n"
        "> Dogs are not allowed, see rules.txt. [1]"
    )


def test_a_table_reads_as_lines_under_its_heading() -> None:
    answer = quoted("What are the hours on Tuesday?", hit(page(content=POOL)))
    assert answer[1] == "> **Opening hours**\n>\n> - Tuesday · 9 to 20 [1]"


def test_inflected_words_match() -> None:
    german = page(language="de", content="Das Bad ist schön.\n\n# Wege\n\nDie Buslinien halten am Ufer.")
    assert "Buslinien" in quoted("Welche Buslinie hält dort?", hit(german), language="de")[1]


def test_pages_without_the_words_are_quoted_only_if_none_has_them() -> None:
    other = hit(page("p2", content="Something else entirely."))
    assert list(quoted("How much do adults pay?", other, hit(page(content=POOL)))) == [2]
    assert list(quoted("Quantum physics?", other, hit(page(content=POOL)))) == [1, 2]


def test_a_page_with_much_less_of_the_words_than_the_best_is_not_quoted() -> None:
    best = hit(page("a", content="The heated swimming pool opens in May."))
    close = hit(page("b", content="A heated swimming hall opens in winter."))
    far = hit(page("c", content="The market opens at eight."))
    assert quoted("When does the heated swimming pool open?", best, close, far).keys() == {1, 2}


def test_words_of_the_title_do_not_hide_the_part_that_holds_the_others() -> None:
    content = "Who keeps a dog pays dog tax.\n\n## What it costs\n\n72 euros a year."
    titled = page(title="Dog tax", content=content)
    assert "72 euros" in quoted("What does the dog tax cost?", hit(titled))[1]


def test_where_the_title_holds_all_words_the_text_decides() -> None:
    content = "A heated bath at the lake.\n\n## Opening hours\n\nOpen from 9 to 20."
    titled = page(title="Pool: opening hours", content=content)
    assert "9 to 20" in quoted("When is the pool open?", hit(titled))[1]


def test_rare_words_weigh_more_than_frequent_ones() -> None:
    filler = "\n\n".join(f"# Part {n}\n\nThe pool ticket is sold here." for n in range(20))
    found = page(content=f"{filler}\n\n# Rules\n\nDogs stay outside.")
    assert "Dogs stay outside." in quoted("pool ticket dogs", hit(found))[1]


def test_only_the_first_pages_are_quoted() -> None:
    assert list(quoted("pool", *[hit(page(content=POOL))] * 5)) == list(range(1, QUOTES + 1))


def test_of_runs_with_the_same_words_the_first_is_quoted() -> None:
    for number in range(50):
        first, second, third = (f"{letter}{number}x" for letter in "bcd")
        sentences = (
            f"The {first} {second} {'is here ' * 15}. The {third} {second} too. The {first} {'again ' * 30}."
        )
        answer = quoted(f"Which {first} {second} {third}?", hit(page(content=sentences)))
        assert answer[1].startswith(f"> The {first} {second}"), number


def test_a_passage_that_starts_within_a_word_is_quoted_from_its_paragraph() -> None:
    body = "One paragraph here.\n\nThe municipal library lends books to everybody.\n\nLast one."
    found = page(content=body)
    start = body.index("nicipal")
    answer = quoted("library", hit(found, passage(found, "content", start, start + 20)))
    assert lines(answer[1]) == ["The municipal library lends books to everybody."]


def test_rows_cut_off_from_their_head_still_read_as_rows() -> None:
    rows = "".join(f"| Street {number} | collected on day {number} |\n" for number in range(400))
    found = page(content=f"| Street | Day |\n|---|---|\n{rows}")
    start = found.fields["content"].index("| Street 300 ")
    answer = quoted("Street 301", hit(found, passage(found, "content", start, start + 100)))
    assert "- Street 301 · collected on day 301" in answer[1]
    assert "|" not in answer[1]


def test_rows_cut_off_from_their_head_keep_cells_that_the_first_one_lacks() -> None:
    rows = "| Otter Close |\n" * 200 + "| Mill Lane |\n| Ferry Road | Monday | brown bin |\n"
    found = page(content=f"| Street | Day | Bin |\n|---|---|---|\n{rows}")
    start = found.fields["content"].index("Mill Lane")
    answer = quoted("Ferry Road", hit(found, passage(found, "content", start, start + 20)))
    assert "Ferry Road · Monday · brown bin" in answer[1]


def test_an_overlong_sentence_is_shortened_around_the_matching_word() -> None:
    found = page(content=f"{'before and ' * 100}treasure {'after and ' * 100}")
    [line] = lines(quoted("treasure", hit(found))[1])
    assert line.startswith("… ")
    assert line.endswith(" …")
    assert "treasure" in line
    assert len(line) <= QUOTE_CHARACTERS + 4
    assert line.strip("… ") in found.fields["content"]


def test_without_any_match_the_middle_of_a_later_passage_is_quoted() -> None:
    paragraphs = [f"Paragraph number {number} is about nothing {'at all ' * 40}." for number in range(20)]
    found = page(content="\n\n".join(paragraphs))
    start = found.fields["content"].index("Paragraph number 10")
    end = found.fields["content"].index("Paragraph number 14") + 20
    assert "number 12" in quoted("xylophone", hit(found, passage(found, "content", start, end)))[1]
    assert "number 0" in quoted("xylophone", hit(found))[1]


def test_a_page_without_prose_is_quoted_by_its_title() -> None:
    found = page(title="Town hall", content=f"{'x' * 500}")
    assert quoted("town hall", hit(found)) == {1: "> Town hall [1]"}


def test_code_and_footnotes_do_not_read_as_citations() -> None:
    answer = quoted("Adults children euros", hit(page(content=POOL)))
    assert re.findall(r"\[\d\]", answer[1]) == ["[1]"]


WORDS = st.sampled_from(
    ["pool", "open", "Dr.", "z. B.", "3.", "Mai", "größer", "and", "See", "why?", "No!", "x" * 90]
)
SENTENCES = st.lists(WORDS, min_size=1, max_size=30).map(" ".join)
BLOCKS = st.lists(
    st.builds(str.format, st.sampled_from(["{}", "## {}", "* {}", "> {}"]), SENTENCES),
    min_size=1,
    max_size=12,
).map("\n\n".join)


@given(content=BLOCKS, question=SENTENCES, cut=st.tuples(st.integers(0, 400), st.integers(0, 400)))
def test_every_quoted_line_stands_in_the_page_and_no_word_is_cut(
    content: str, question: str, cut: tuple[int, int]
) -> None:
    found = page(content=content, title="Title")
    start, end = sorted(cut)
    for quote in quoted(question, hit(found), hit(found, passage(found, "content", start, end))).values():
        body = [line.strip("… ") for line in lines(quote)]
        assert sum(map(len, body[1:])) <= 2 * QUOTE_CHARACTERS
        for line in body:
            assert re.search(rf"(?<!\S){re.escape(line)}(?!\S)", content) or line == "Title"


@needs(PAGES)
def test_on_real_pages_every_quoted_word_follows_its_neighbour_in_the_page() -> None:
    pages = {}
    for line in PAGES.read_text("utf-8").splitlines():
        raw = json.loads(line)
        pages[raw["id"]] = page(raw["id"], title=raw["title"], content=markdownify(raw["html"]) or "-")
    quoted_lines = 0
    for line in QUESTIONS.read_text("utf-8").splitlines()[::4]:
        question = json.loads(line)
        for gold in question["gold"]:
            found = pages[gold]
            visible = re.sub(r"\]\([^()\s]*(?:\([^()]*\)[^()\s]*)?\)", "]", found.fields["content"])
            running = _letters(re.sub(r"!\[[^\]]*\]", "", visible))
            for text in lines(quoted(question["question"], hit(found), language=question["language"])[1]):
                assert _letters(text) in running or text == found.title
                quoted_lines += 1
    assert quoted_lines > 50


def _letters(text: str) -> str:
    return "".join(re.findall(r"[^\W_]", text))

"""Titles and the like: what is markup is gone, what is text stays, on one line."""

import html

import pytest
from hypothesis import given
from hypothesis import strategies as st

from ingest.html.line import to_line
from tests.growth import grows_with_size


@pytest.mark.parametrize(
    ("given", "line"),
    [
        ("Hunde &amp; <b>Katzen</b>", "Hunde & Katzen"),
        ("Hunde &#8211; Katzen &#x1F43E;", "Hunde – Katzen 🐾"),
        ("Bill &amp; Ben&rsquo;s &Period;&period;", "Bill & Ben’s &Period;."),
        ("<p>Eins</p><p>zwei<br>drei</p>", "Eins zwei drei"),
        ("Wasser H<sub>2</sub>O", "Wasser H2O"),
        ('<a href="/x" title="a > b">Amt</a>', "Amt"),
        ("<!-- note -->Amt<script>alert(1)</script>", "Amt"),
        ('Amt<span style="display:none"> heimlich</span>', "Amt"),
        ("two\nlines\tand\u00a0\u2003spaces &nbsp; ", "two lines and spaces"),
        ("Preise < 5 Euro", "Preise < 5 Euro"),
        ("AT&T", "AT&T"),
        ("R&D; &nosuch; &copy 2026", "R&D; &nosuch; &copy 2026"),
        ("a <b> c", "a <b> c"),
        ("a </b> c", "a </b> c"),
        ("if a<b and c>d", "if a<b and c>d"),
        ("<em>a <b> c</em>", "a <b> c"),
        ("Max <max@town.example>", "Max <max@town.example>"),
        ("The &lt;b&gt;bold&lt;/b&gt; element, &amp;amp;", "The <b>bold</b> element, &amp;"),
        ("", ""),
        (" <b></b> ", ""),
    ],
)
def test_markup_and_character_references_become_text_on_one_line(given: str, line: str) -> None:
    assert to_line(given) == line


@given(text=st.text(alphabet="ab <>/&;#19\n\u00a0é"))
def test_escaped_text_comes_back(text: str) -> None:
    assert to_line(html.escape(text)) == " ".join(text.split())


@pytest.mark.parametrize("piece", ["<b>", "</b>", "<b><i>", "<b></i>", "&", "<", "<!--", "<a ", "&#9"])
def test_hostile_titles_take_linear_time(piece: str) -> None:
    assert grows_with_size(lambda times: to_line(piece * times), 20_000)

"""Markdown stays as it is, but for the HTML in it."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from ingest.converters.markdown import MarkdownConverter
from ingest.types import RawField

CONVERTER = MarkdownConverter()

UNTOUCHED = """\
# Heading with `<b>code</b>` and ``two ` <script>``

A line with <https://example.org/a?b=c> and <me@example.org>, 1 < 2, \\<b> and [a link](mailto:b@c.d "title").

* item
    1. inner

      <p>indented code</p>

| a | b |
|---|---|
| 1 | `<i>` |

```html
<script>kept()</script>


<!-- kept -->
```

> quoted
>
> ~~~
> <style>kept</style>
> ~~~"""

PIECES = [
    "<",
    ">",
    "script",
    "/",
    "<!--",
    "-->",
    "`",
    "```",
    "\n",
    "\n\n",
    " ",
    "\\",
    "b",
    '"',
    "~~~",
    "<b>",
    "<br>",
]
PIECES += [
    "</script>",
    "<script>",
    "- ",
    "> ",
    "    ",
    "x",
    "<div>",
    "\t",
    "<?",
    "?>",
    "<![CDATA[",
    "<!X",
    "*",
    "[",
]


def convert(text: str) -> str:
    """The Markdown of Markdown, as of a page at example.org."""
    return CONVERTER.convert(RawField(text=text, media_type="text/markdown"), "https://example.org/a/")


def test_markdown_without_html_is_left_alone() -> None:
    assert convert(UNTOUCHED) == UNTOUCHED
    assert convert("a < b\r\n\r\nc") == "a < b\n\nc"


@pytest.mark.parametrize(
    ("text", "markdown"),
    [
        ("[b](../b.html)", "[b](https://example.org/b.html)"),
        ('- [c](/c?d#e "Title")', '- [c](https://example.org/c?d#e "Title")'),
        (
            "| [b](b.html) | [c](c.html) |\n|---|---|",
            "| [b](https://example.org/a/b.html) | [c](https://example.org/a/c.html) |\n|---|---|",
        ),
        ("![image](img.png) <b>x</b>", "![image](https://example.org/a/img.png) x"),
        ("See [b][1].\n\n[1]: b.html 'Title'", "See [b][1].\n\n[1]: https://example.org/a/b.html 'Title'"),
        (
            "[top](#top) [mail](mailto:a@b.example) [script](javascript:x)",
            "[top](#top) [mail](mailto:a@b.example) [script](javascript:x)",
        ),
        ("`[b](b.html)` \\[b\\](b.html)", "`[b](b.html)` \\[b\\](b.html)"),
        ("```\n[b](b.html)\n```\n\n    [c](c.html)", "```\n[b](b.html)\n```\n\n    [c](c.html)"),
    ],
)
def test_links_are_absolute_but_in_code(text: str, markdown: str) -> None:
    assert convert(text) == markdown


@pytest.mark.parametrize(
    ("text", "markdown"),
    [
        ("a <b>bold</b> word", "a bold word"),
        ("one<br>two<br/>three", "one\ntwo\nthree"),
        ('see <img src="x.png" alt="the hall"> and <img src=y>.', "see the hall and ."),
        ('<a title="x>y" href="z">link</a>', "link"),
        ("text <!-- gone\n\ngone --> goes on", "text  goes on"),
        ("text <script>gone()</script> goes on", "text  goes on"),
        ("<div><script>\n\ngone()\n\n</script>kept</div>", "kept"),
        ("<style>\n\ngone\n\n</style>\n\nkept", "kept"),
        ("a <scr<!-- -->ipt>x</scr<b>ipt>", "a x\\</script>"),
        ("<scr<b>ipt>x", "\\<script>x"),
        ("seen <span style='display:none'>lost <b>too</b> `lost`</span>seen", "seen seen"),
        ("seen <span hidden>a <span>b</span> c</span> seen", "seen  seen"),
        ("seen <i popover>lost\nto the end\n\nof its block", "seen \n\nof its block"),
        ("seen <b style='color:red'>too</b> `<b hidden>`", "seen too `<b hidden>`"),
        ('see <img hidden src="x.png" alt="lost">.', "see ."),
        ("<p style='font-size:0'>lost</p>\n\nseen", "seen"),
        ("open <script src=x", "open \\<script src=x"),
        ('<p>go <a href="b">there</a></p>', "go [there](https://example.org/a/b)"),
        ("<table>\n<tr><td>a<td>b\n</table>\n\nafter", "| a | b |\n| --- | --- |\n\n\nafter"),
        ("- item <i>x</i>\n  <div>deep</div>", "- item x\n  deep"),
        ("<details>\n<summary>More</summary>\n\n**kept**\n\n</details>", "More\n\n\n**kept**"),
    ],
)
def test_html_in_markdown_is_converted_or_dropped(text: str, markdown: str) -> None:
    assert convert(text) == markdown


@given(st.lists(st.sampled_from(PIECES), max_size=30))
def test_no_tag_is_left_outside_code_whatever_is_nested_in_what(pieces: list[str]) -> None:
    markdown = convert("".join(pieces))
    rendered = CONVERTER._parser.parse(markdown)
    inline = [child.type for token in rendered for child in token.children or ()]
    assert "html_block" not in [token.type for token in rendered]
    assert "html_inline" not in inline

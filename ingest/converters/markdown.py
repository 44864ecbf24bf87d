"""The converter for Markdown."""

import re
from collections.abc import Iterator
from importlib.metadata import version
from typing import Final, Literal

from markdown_it import MarkdownIt

from ingest import html
from ingest.types import RawField

_CODE: Final = (
    r"(?P<kept>(?:^|(?<=\n))[ \t>]*(?P<fence>`{3,}(?=[^`\n]*\n)|~{3,})[^\n]*\n"
    r"[\s\S]*?(?:\n[ \t>]*(?P=fence)|\Z)"
    r"|(?P<ticks>`+)(?:(?!\n[ \t]*\n)[^`]|(?!(?P=ticks)(?!`))`+)+(?P=ticks)(?!`)|`+|\\[^\n])"
)
_REMOVED: Final = re.compile(
    _CODE + r"|<!--[\s\S]*?-->"
    r"|<(?P<name>script|style|template|noscript|iframe|svg|object|textarea)\b[^>]*>[\s\S]*?</(?P=name)\s*>",
    re.I,
)
_AUTOLINK: Final = r"(?P<link><(?:[A-Za-z][A-Za-z0-9+.-]{1,31}:[^\s<>]*|[^\s<>@]{1,64}@[^\s<>@]{1,255})>)"
_TAG: Final = re.compile(
    _CODE
    + "|"
    + _AUTOLINK
    + r"""|(?P<tag></?[A-Za-z](?:[^<>"']|"[^"]*"|'[^']*')*>|</?[A-Za-z][^<>]*>)|<(?=[A-Za-z/!?])"""
)
_ALTERNATIVE: Final = re.compile(r"""\balt\s*=\s*(?:"([^"]*)"|'([^']*)'|([^\s"'>]+))""", re.I)


class MarkdownConverter:
    """Markdown stays as it is, without the raw HTML in it.

    Blocks of HTML are converted, tags and comments in running text dropped (line breaks and the
    alternative text of images stay); script and style never survive. Code is left alone.
    """

    version = f"1 {html.VERSION} markdown-it-py-{version('markdown-it-py')}"

    def __init__(self) -> None:
        self._parser = MarkdownIt("commonmark").enable("table")

    def accepts(self, field: RawField) -> bool:
        return field.media_type == "text/markdown"

    def convert(self, field: RawField, url: str) -> str:
        text = "\n".join(field.text.splitlines())
        if "<" in text:
            text = "\n".join(self._parts(_REMOVED.sub(lambda match: match["kept"] or "", text), url))
        return text.strip("\n")

    def _parts(self, text: str, url: str) -> Iterator[str]:
        """The text with code as it is, blocks of HTML converted and tags elsewhere dropped."""
        lines = text.split("\n")
        done = 0
        for kind, start, end in self._special_lines(text):
            yield _TAG.sub(_without_tag, "\n".join(lines[done:start]))
            block = "\n".join(lines[start:end])
            yield block if kind == "code" else f"\n{html.to_markdown(block, url)}\n"
            done = end
        yield _TAG.sub(_without_tag, "\n".join(lines[done:]))

    def _special_lines(self, text: str) -> Iterator[tuple[Literal["code", "html"], int, int]]:
        """Line ranges of code blocks, and of HTML blocks that do not stand in a list or quote."""
        for token in self._parser.parse(text):
            if token.map and token.type in ("fence", "code_block"):
                yield "code", token.map[0], token.map[1]
            elif token.map and token.type == "html_block" and token.level == 0:
                yield "html", token.map[0], token.map[1]


def _without_tag(match: re.Match[str]) -> str:
    kept = match["kept"] or match["link"]
    if kept:
        return kept
    tag = match["tag"]
    if tag is None:
        return "\\<"
    name = tag[1:].split(None, 1)[0].rstrip("/>").lower()
    if name == "img":
        alternative = _ALTERNATIVE.search(tag)
        return next(filter(None, alternative.groups()), "") if alternative else ""
    return "\n" if name == "br" else ""

"""The converter for Markdown."""

import re
from collections.abc import Iterator
from functools import partial
from importlib.metadata import version
from typing import Final, Literal

from markdown_it import MarkdownIt

from ingest.html import VERSION, to_markdown
from ingest.links import absolute
from ingest.types import RawField

_FENCED: Final = (
    r"(?P<fenced>(?:^|(?<=\n))[ \t>]*(?P<fence>`{3,}(?=[^`\n]*\n)|~{3,})[^\n]*\n"
    r"[\s\S]*?(?:\n[ \t>]*(?P=fence)|\Z))"
)
_SPAN: Final = (
    r"(?P<span>(?P<ticks>`++)(?:(?!\n[ \t]*\n)[^`]|(?!(?P=ticks)(?!`))`++)+(?P=ticks)(?!`)|`++|\\[^\n])"
)
_AUTOLINK: Final = r"(?P<link><(?:[A-Za-z][A-Za-z0-9+.-]{1,31}:[^\s<>]*|[^\s<>@]{1,64}@[^\s<>@]{1,255})>)"
_REMOVED: Final = re.compile(
    _FENCED + "|" + _SPAN + r"|<!--[\s\S]*?-->"
    r"|<(?P<name>script|style|template|noscript|iframe|svg|object|textarea)\b[^>]*>[\s\S]*?</(?P=name)\s*>",
    re.I,
)
_DESTINATION: Final = r"(?P<href><[^<>\n]*>|[^\s()<>]+(?:\([^\s()]*\)[^\s()]*)?)"
_LINK: Final = re.compile(_SPAN + rf"|(?<=[^\\]\]\(){_DESTINATION}")
_DEFINITION: Final = re.compile(rf"(?P<span>^ {{0,3}}\[[^\[\]\n]+\]:[ \t]*){_DESTINATION}")
_TAG: Final = re.compile(
    _SPAN + "|" + _AUTOLINK + r"""|(?P<tag></?[A-Za-z](?:[^<>"']|"[^"]*"|'[^']*')*>|</?[A-Za-z][^<>]*>)"""
    r"|<(?=[A-Za-z/!?])"
)
_MAY_HIDE: Final = re.compile(
    r"<(?:dialog|meter|progress|select|[a-z][^>]*\s(?:style|hidden|popover)\b)", re.I
)
_ALTERNATIVE: Final = re.compile(r"""\balt\s*=\s*(?:"([^"]*)"|'([^']*)'|([^\s"'>]+))""", re.I)


class MarkdownConverter:
    """Keeps Markdown, makes its links absolute and removes its raw HTML.

    * Blocks of HTML are converted.
    * In running text tags and comments are dropped, and with a hidden element its contents up to the end of
      the block. Line breaks and the alternative text of images stay.
    * Script and style are always dropped. Code is left alone.
    """

    version = f"3 {VERSION} markdown-it-py-{version('markdown-it-py')}"

    def __init__(self) -> None:
        self._parser = MarkdownIt("commonmark").enable("table")

    def accepts(self, field: RawField) -> bool:
        return field.media_type == "text/markdown"

    def convert(self, field: RawField, url: str) -> str:
        text, reduced = "", "\n".join(field.text.splitlines())
        while "<" in reduced and reduced != text:  # once a tag is gone, former code may turn out to be a tag
            text, reduced = reduced, self._reduced(reduced, url)
        return self._with_absolute_links(reduced, url).strip("\n")

    def _reduced(self, text: str, url: str) -> str:
        return "\n".join(
            self._parts(_REMOVED.sub(lambda match: match["fenced"] or match["span"] or "", text), url)
        )

    def _parts(self, text: str, url: str) -> Iterator[str]:
        """Yield the text block by block: code as it is, HTML converted, tags elsewhere dropped."""
        lines = text.split("\n")
        done = 0
        for kind, start, end in self._blocks(text):
            if start < done:
                continue  # the cells of a table row share their line
            yield from lines[done:start]
            block = "\n".join(lines[start:end])
            if kind == "text":
                yield _without_tags(block)
            else:
                yield block if kind == "code" else f"\n{to_markdown(block, url)}\n"
            done = end
        yield _without_tags("\n".join(lines[done:]))

    def _with_absolute_links(self, text: str, url: str) -> str:
        if "](" not in text and "]:" not in text:
            return text
        lines = text.split("\n")
        known = set[int]()
        for kind, start, end in self._blocks(text):
            if kind == "text" and start not in known:
                lines[start:end] = _LINK.sub(partial(_absolute, url), "\n".join(lines[start:end])).split("\n")
            known.update(range(start, end))
        for number in set(range(len(lines))) - known:  # the parser reports no block for a link's definition
            lines[number] = _DEFINITION.sub(partial(_absolute, url), lines[number])
        return "\n".join(lines)

    def _blocks(self, text: str) -> Iterator[tuple[Literal["code", "html", "text"], int, int]]:
        """Yield line ranges in order. HTML in a list or quote counts as text: its lines have other marks."""
        for token in self._parser.parse(text):
            if not token.map or token.nesting:
                continue
            start, end = token.map
            if token.type in ("fence", "code_block"):
                yield "code", start, end
            else:
                yield "html" if token.type == "html_block" and token.level == 0 else "text", start, end


def _absolute(url: str, match: re.Match[str]) -> str:
    """Return the match with its ``href`` made absolute, if people can follow it; otherwise unchanged."""
    if not match["href"]:
        return match[0]
    return (match["span"] or "") + (absolute(match["href"].strip("<>"), url) or match["href"])


def _without_tags(block: str) -> str:
    kept: list[str] = []
    done = depth = 0
    hiding = ""
    for match in _TAG.finditer(block):
        name = _tag_name(match["tag"] or "")
        if not depth:
            kept += [block[done : match.start()], _without_tag(match)]
            done = match.end()
            if name and _hides(match["tag"]):
                hiding, depth = name, 1
        elif name == hiding:
            depth += -1 if match["tag"].startswith("</") else 1
            done = match.end()
    return "".join(kept) if depth else "".join([*kept, block[done:]])


def _hides(tag: str) -> bool:
    return _MAY_HIDE.match(tag) is not None and not to_markdown(f"{tag}x")


def _tag_name(tag: str) -> str:
    return tag[1:].split(None, 1)[0].strip("/>").lower() if tag else ""


def _without_tag(match: re.Match[str]) -> str:
    kept = match["span"] or match["link"]
    if kept:
        return kept
    tag = match["tag"]
    if tag is None:
        return "\\<"
    name = _tag_name(tag)
    if name == "img":
        if _MAY_HIDE.match(tag) and not to_markdown(tag):
            return ""
        alternative = _ALTERNATIVE.search(tag)
        return next(filter(None, alternative.groups()), "") if alternative else ""
    return "\n" if name == "br" else ""

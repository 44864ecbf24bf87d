"""Renders an answer's Markdown as safe HTML, block by block while it streams.

A block is one top-level construct of CommonMark (a paragraph, a list, a table). It is final once the next one
starts, because reference definitions and underlined headings are disabled; most are final once a blank line
follows. So the joined blocks equal the whole text rendered at once.

Raw HTML is shown as text, images become links, links are kept only if they lead to a source of the answer,
phone numbers and e-mail addresses become links, short lines keep their line breaks, and nh3 removes all tags
and attributes that are not listed here.

An e-mail address with a query (subject, text) is not linked. Phone numbers are recognised by
:func:`app.chat.redaction.phone_numbers`, but linked only if they are international or have separators between
their digits, are not too long, and are not fax numbers.
"""

import re
from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence
from typing import Any, Final

import nh3
from markdown_it import MarkdownIt
from markdown_it.token import Token

from app.chat.redaction import phone_numbers
from app.chat.text.catalogue import UNSUPPORTED_MARKS
from app.chat.text.citations import CITATION, cited_numbers
from ingest.links import SCHEMES
from ingest.text import visible

TEXT_TAGS: Final = {"p", "h1", "h2", "h3", "h4", "h5", "h6", "blockquote", "ul", "ol", "li", "pre", "hr"}
INLINE_TAGS: Final = {"a", "br", "code", "em", "mark", "s", "strong"}
TABLE_TAGS: Final = {"table", "thead", "tbody", "tr", "th", "td"}
TAGS: Final = TEXT_TAGS | INLINE_TAGS | TABLE_TAGS
ATTRIBUTES: Final = {"a": {"href"}, "li": {"value"}, "ol": {"start"}}
CLASSES: Final = {"a": {"citation"}}
SOURCE_ANCHOR: Final = "source-"

SHORT_LINE_CHARACTERS: Final = 60
"""A shorter line was ended on purpose, as in an address; a longer one was wrapped."""

ENDED_BY_LINE: Final = {"heading_open", "hr"}
ENDED_BY_BLANK_LINE: Final = ENDED_BY_LINE | {"paragraph_open", "blockquote_open", "table_open"}
"""Blocks, by their first token, that end with a blank line: no later text can belong to them. Those of
``ENDED_BY_LINE`` end with their line."""

_BLANK_LINE: Final = re.compile(r"(?:\A|\n)[ \t]*\n\Z")
_LINKED: Final = re.compile(
    rf"{CITATION.pattern}|(?P<celex>\b[0-9]{{5}}[A-Z]{{1,2}}[0-9]{{3,4}}(?:R\([0-9]{{2}}\)|\b))"
    rf"|(?P<mark>{'|'.join(map(re.escape, UNSUPPORTED_MARKS))})"
)

PHONE_DIGITS: Final = 15
"""The most digits of a phone number (E.164)."""

_E_MAIL: Final = re.compile(
    r"(?<![\w.%+@/:-])[a-z0-9][a-z0-9._%+-]{0,63}@(?:[a-z0-9-]{1,63}\.){1,8}[a-z]{2,24}(?![\w@?-]|\.\w)",
    re.IGNORECASE | re.ASCII,
)
_FAX: Final = re.compile(r"(?i)fax(?:-?(?:nummer|nr)|\ (?:number|no))?\.?:?\s?\Z")
_FAX_CHARACTERS: Final = 16
_TRUNK_PREFIX: Final = re.compile(r"\(0\)")
_SEPARATOR: Final = re.compile(r"[^\d\s][\d\s]*\d|\d\s+\d")


class BlockRenderer:
    """Renders one answer.

    ``links``: the URLs that a link may lead to, with or without a fragment; other links become their text.
    ``all_links``: True if links may lead anywhere, because editors wrote the text. ``numbers``: the source
    numbers; each one in a citation becomes ``[N]`` and links to ``#source-N``, with ``anchor`` in place of
    ``source-``. ``acts``: the URLs of acts by CELEX number; such a number in the text links there.
    """

    def __init__(
        self,
        *,
        links: Collection[str] = (),
        all_links: bool = False,
        numbers: Collection[int] = (),
        acts: Mapping[str, str] | None = None,
        anchor: str = SOURCE_ANCHOR,
    ) -> None:
        self._markdown = MarkdownIt("commonmark", {"html": False}).enable(["table", "strikethrough"])
        self._markdown.disable(["html_block", "html_inline", "image", "reference", "lheading"])
        self._links = {self._markdown.normalizeLink(link) for link in links}
        self._all_links = all_links
        self._numbers = frozenset(numbers)
        self._acts = acts or {}
        self._anchor = anchor
        self._pending = ""

    def feed(self, text: str) -> Iterator[str]:
        """Yield the HTML of the blocks that are now final."""
        self._pending += text
        if "\n" not in text:
            return
        # An unfinished line may still change its meaning.
        end = self._pending.rindex("\n") + 1
        complete, rest = visible(self._pending[:end]), self._pending[end:]
        blocks = _top_level(self._markdown.parse(complete))
        if not blocks:
            return
        final = len(blocks) if _is_ended(blocks[-1], complete) else len(blocks) - 1
        start = _first_line(blocks[final]) if final < len(blocks) else None
        self._pending = ("" if start is None else "\n".join(complete.split("\n")[start:])) + rest
        yield from map(self._html, blocks[:final])

    @property
    def pending(self) -> str:
        """The Markdown that was not rendered yet."""
        return self._pending

    def close(self) -> Iterator[str]:
        """Yield the HTML of the remaining blocks."""
        rest, self._pending = self._pending, ""
        return self._rendered(rest)

    def render(self, text: str) -> str:
        """Return the HTML of a whole text."""
        return "".join(self._rendered(text))

    def _rendered(self, text: str) -> Iterator[str]:
        return map(self._html, _top_level(self._markdown.parse(visible(text))))

    def _html(self, block: Sequence[Token]) -> str:
        _keep_numbers(block)
        for token in block:
            if token.children:
                token.children = list(_with_breaks(self._linked(token.children)))
        html = self._markdown.renderer.render(block, self._markdown.options, {})
        return nh3.clean(
            html, tags=TAGS, attributes=ATTRIBUTES, allowed_classes=CLASSES, url_schemes=set(SCHEMES)
        )

    def _linked(self, tokens: Sequence[Token]) -> Iterator[Token]:
        """Yield the tokens with citations as links, and without links that lead to no source."""
        inside = allowed = False
        for token in tokens:
            if token.type == "link_open":
                inside = True
                allowed = self._leads_to_source(str(token.attrGet("href")))
            if token.type == "text" and not inside:
                yield from self._with_links(token)
            elif token.type == "text" and not allowed:
                yield from _with_contacts(token.content)
            elif allowed or token.type not in {"link_open", "link_close"}:
                yield token
            if token.type == "link_close":
                inside = False

    def _leads_to_source(self, href: str) -> bool:
        return self._all_links or href in self._links or href.partition("#")[0] in self._links

    def _with_links(self, token: Token) -> Iterator[Token]:
        """Yield the text with its citations and CELEX numbers as links, and its marks as ``mark``."""
        position = 0
        for match in _LINKED.finditer(token.content):
            elements = _mark(match["mark"]) if match["mark"] else self._link_tokens(match)
            if not elements:
                continue
            yield from _with_contacts(token.content[position : match.start()])
            yield from elements
            position = match.end()
        yield from _with_contacts(token.content[position:])

    def _link_tokens(self, match: re.Match[str]) -> list[Token]:
        """Return the tokens of the links that a citation or a CELEX number becomes."""
        return [token for text, attributes in self._links_of(match) for token in _link(text, attributes)]

    def _links_of(self, match: re.Match[str]) -> list[tuple[str, dict[str, str | int | float]]]:
        """Return the text and attributes of each link; empty for numbers without a source."""
        if celex := match["celex"]:
            address = self._acts.get(celex)
            return [(celex, {"href": address})] if address else []
        return [
            (f"[{number}]", {"href": f"#{self._anchor}{number}", "class": "citation"})
            for number in cited_numbers(match[1], self._numbers)
        ]


def renderer_of(
    sources: Sequence[Mapping[str, Any]], anchor: str = SOURCE_ANCHOR, *, all_links: bool = False
) -> BlockRenderer:
    """Return the renderer of an answer from these sources (:func:`app.chat.documents.source_documents`).
    ``all_links``: see :class:`BlockRenderer`."""
    acts: dict[str, str] = {}
    for source in sources:
        if celex := source.get("celex"):
            acts.setdefault(celex, source["url"].partition("#")[0])
    numbers = [source["number"] for source in sources if source["number"] is not None]
    return BlockRenderer(
        links=[source["url"] for source in sources],
        all_links=all_links,
        numbers=numbers,
        acts=acts,
        anchor=anchor,
    )


def _mark(text: str) -> list[Token]:
    return [Token("mark_open", "mark", 1), _text(text), Token("mark_close", "mark", -1)]


def _with_breaks(tokens: Iterable[Token]) -> Iterator[Token]:
    """Yield the tokens with the ends of short lines as line breaks."""
    characters = 0
    for token in tokens:
        is_end = token.type in {"softbreak", "hardbreak"}
        yield Token("hardbreak", "br", 0) if is_end and characters < SHORT_LINE_CHARACTERS else token
        characters = 0 if is_end else characters + len(token.content)


def _with_contacts(content: str) -> Iterator[Token]:
    """Yield the text with its phone numbers and e-mail addresses as links."""
    position = 0
    for start, end, href in contact_links(content):
        yield _text(content[position:start])
        yield from _link(content[start:end], {"href": href})
        position = end
    yield _text(content[position:])


def _link(text: str, attributes: dict[str, str | int | float]) -> Iterator[Token]:
    yield Token("link_open", "a", 1, attrs=attributes)
    yield _text(text)
    yield Token("link_close", "a", -1)


def _text(content: str) -> Token:
    return Token("text", "", 0, content=content)


def _keep_numbers(block: Sequence[Token]) -> None:
    """Give items of ordered lists the numbers that they have in the text. CommonMark counts on from the
    first: lines that begin with "31. Januar" and "15. Februar" would become 31 and 32."""
    following: dict[int, int] = {}
    for token in block:
        if token.type == "ordered_list_open":
            following[token.level + 1] = int(token.info or token.attrGet("start") or 1)
        elif token.type == "list_item_open" and token.info:
            number = int(token.info)
            if number != following[token.level]:
                token.attrSet("value", str(number))
            following[token.level] = number + 1


def _top_level(tokens: Sequence[Token]) -> list[list[Token]]:
    """Return the tokens, one list for each top-level construct."""
    blocks: list[list[Token]] = []
    depth = 0
    for token in tokens:
        if depth == 0:
            blocks.append([])
        blocks[-1].append(token)
        depth += token.nesting
    return blocks


def _is_ended(block: Sequence[Token], lines: str) -> bool:
    """Return True if no text after the whole ``lines`` can belong to their last block."""
    kinds = ENDED_BY_BLANK_LINE if _BLANK_LINE.search(lines) else ENDED_BY_LINE
    return block[0].type in kinds


def _first_line(block: Sequence[Token]) -> int:
    lines = block[0].map
    if lines is None:
        raise ValueError(f"token {block[0].type} has no lines")
    return lines[0]


def contact_links(text: str) -> Iterator[tuple[int, int, str]]:
    """Yield start, end and URL (``mailto:`` or ``tel:``) of the phone numbers and e-mail addresses in a text,
    in order and without overlaps."""
    mails = [(*match.span(), f"mailto:{match[0]}") for match in _E_MAIL.finditer(text)]
    phones = [
        (start, end, href)
        for start, end in phone_numbers(text)
        if (href := _phone_link(text[max(start - _FAX_CHARACTERS, 0) : start], text[start:end]))
    ]
    done = 0
    for start, end, href in sorted(mails + phones):
        if start >= done:
            yield start, end, href
            done = end


def _phone_link(before: str, number: str) -> str:
    """Return the URL of a phone number after this text; empty for a fax number and unclear numbers."""
    if _FAX.search(before) or not _SEPARATOR.search(number):
        return ""
    international = number.lstrip("(").startswith(("+", "00"))
    digits = "".join(filter(str.isdecimal, _TRUNK_PREFIX.sub("", number) if international else number))
    if not digits.isascii() or len(digits) > PHONE_DIGITS:
        return ""
    return f"tel:+{digits.removeprefix('00')}" if international else f"tel:{digits}"

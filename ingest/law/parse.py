"""Parses a published text of EU law, in any layout of EUR-Lex, into an act."""

import re
from collections.abc import Iterator
from dataclasses import replace
from datetime import date
from typing import Final

from lxml import etree
from lxml import html as lxml_html

from ingest.errors import PageError
from ingest.html.visibility import is_hidden
from ingest.law import metadata
from ingest.law.application import applies_from, valid_until
from ingest.law.blocks import Block
from ingest.law.checks import check, no_act_error, no_text_error
from ingest.law.dates import first_date
from ingest.law.inline import fold
from ingest.law.languages import official
from ingest.law.legacy import parse_legacy
from ingest.law.model import Act, Layout, Unit
from ingest.law.quotations import mark_quotations
from ingest.law.unit_texts import texts
from ingest.law.units import drafts
from ingest.law.walk import blocks

_TELLING: Final = {
    "oj-convex": frozenset({"oj-doc-ti", "oj-ti-art", "oj-normal"}),
    "consolidated": frozenset({"title-doc-first", "title-article-norm", "title-annex-1"}),
    "oj-old": frozenset({"doc-ti", "ti-art", "ti-section-1", "ti-grseq-1"}),
}
_UNSEEN: Final = frozenset({"script", "style"})
_MAYBE_HIDDEN: Final = "//*[@style or @hidden or @popover or self::dialog]"
_FOOT: Final = re.compile(r"(?:ELI: https?://|ISSN \d{4}-)")


def parse(html: str, *, celex: str = "", language: str = "", version: date | None = None) -> Act:
    """Parse an act. ``celex``, ``language``, ``version``: if known from elsewhere; otherwise as printed.

    Raises :class:`~ingest.errors.PageError` with the reason if the text is not an act.
    """
    check(html)
    root = tree(html)
    if not any(text.strip() for text in _visible(root)):
        raise no_text_error(html)
    layout = layout_of(root)
    if layout == "legacy":
        return parse_legacy(root, celex=celex, language=language, version=version)
    return _parse_classed(root, layout, celex=celex, language=language, version=version)


def tree(html: str) -> lxml_html.HtmlElement:
    """Parse the visible elements of a text, however malformed. Raises :class:`~ingest.errors.PageError`."""
    parser = lxml_html.HTMLParser(
        huge_tree=True, recover=True, encoding="utf-8", remove_comments=True, remove_pis=True
    )
    try:
        root = lxml_html.document_fromstring(html.encode("utf-8", "replace"), parser=parser)
    except (etree.ParserError, etree.XMLSyntaxError) as error:
        raise PageError("invalid", f"The HTML cannot be read: {error}") from error
    if any("depth" in entry.message for entry in parser.error_log.filter_from_fatals()):
        raise PageError("invalid", "The HTML is nested too deeply: its end would be lost; simplify it.")
    _drop_hidden(root)
    return root


def _drop_hidden(root: lxml_html.HtmlElement) -> None:
    for node in root.xpath(_MAYBE_HIDDEN):
        if node.getparent() is not None and is_hidden(node.tag, dict(node.attrib)):
            node.drop_tree()


def _visible(root: etree._Element) -> Iterator[str]:
    """Yield the texts in the body. Walks the tree, because an XPath query would take quadratic time."""
    body = root.find(".//body")
    for node in () if body is None else body.iter():
        if node.text and node.tag not in _UNSEEN:
            yield node.text
        if node.tail and node is not body:
            yield node.tail


def layout_of(root: etree._Element) -> Layout:
    """Return the layout whose classes the text has; ``legacy`` if it has none of them."""
    names = {name for node in root.iter("p", "div") for name in (node.get("class") or "").split()}
    for layout, telling in _TELLING.items():
        if not telling.isdisjoint(names):
            return layout  # type: ignore[return-value]
    return "legacy"


def _parse_classed(
    root: lxml_html.HtmlElement, layout: Layout, *, celex: str, language: str, version: date | None
) -> Act:
    printed = metadata.printed(root)
    found = _text_of_act(blocks(root), consolidated=printed.consolidated_on is not None)
    mark_quotations(found)
    lines, gathered, notes = drafts(found)
    units = texts(gathered, notes)
    if not any(unit.markdown or unit.heading for unit in units):
        raise no_act_error(root)
    title = fold(" ".join(lines))
    celex = celex or printed.celex or metadata.celex_of(title)
    kind = metadata.act_type(celex, title)
    document_date = None if kind == "corrigendum" else first_date(title)
    version = version or printed.consolidated_on or document_date or printed.published
    language = language or printed.language or official(root.get("lang") or "")
    if not celex or version is None or not language:
        raise PageError("invalid", _unknown(kind, celex, version, language))
    return Act(
        celex=celex,
        language=language,
        version=version,
        layout=layout,
        units=_titled(units, title),
        title=title or metadata.treaty_title(celex, language) or _first_label(units),
        short_title=metadata.short_title(title),
        type=kind,
        number=metadata.number(title),
        eli=printed.eli,
        consolidated=printed.consolidated_on is not None,
        document_date=document_date,
        published=printed.published,
        applies_from=applies_from(units),
        valid_until=valid_until(units),
        amended_by=printed.amended_by,
    )


def _text_of_act(found: list[Block], *, consolidated: bool) -> list[Block]:
    """Return the blocks without the head and foot of the page, which are metadata.

    A consolidated text begins after its second rule, after a notice, the title and the list of amendments.
    """
    rules = [
        index for index, block in enumerate(found) if block.role == "rule" and block.label == "separator"
    ]
    start = rules[1] + 1 if consolidated and len(rules) > 1 else 0
    return [block for block in found[start:] if block.depth or not _FOOT.match(block.text)]


def _titled(units: tuple[Unit, ...], title: str) -> tuple[Unit, ...]:
    return tuple(replace(unit, heading=title) if unit.kind == "act" else unit for unit in units)


def _first_label(units: tuple[Unit, ...]) -> str:
    return next((unit.label for unit in units if unit.label), "")


def _unknown(kind: str, celex: str, version: date | None, language: str) -> str:
    if kind == "corrigendum" and not celex:
        return "This is a corrigendum, whose number is not printed; name the file CELEX_DATE_LANGUAGE.html."
    known = (("CELEX number", celex), ("date", version), ("language", language))
    missing = " and ".join(name for name, value in known if not value)
    return f"The {missing} of the act is not printed in it; name the file CELEX_DATE_LANGUAGE.html."

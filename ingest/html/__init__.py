"""Parses the HTML of pages without a depth limit, reduces it to the visible content and writes Markdown.

A library for plugins that meet HTML. Parsing takes linear time and no recursion. The parsers are imported by
the first conversion, because most commands convert nothing.
"""

from importlib.metadata import version
from typing import Final

VERSION: Final = (
    f"3 lxml-{version('lxml')} markdownify-{version('markdownify')} tinycss2-{version('tinycss2')}"
)
"""Names everything that determines the output."""


def to_markdown(html: str, url: str = "") -> str:
    """See :func:`ingest.html.markdown.to_markdown`."""
    from ingest.html import markdown  # noqa: PLC0415

    return markdown.to_markdown(html, url)


def page_to_markdown(html: str, url: str = "") -> str:
    """See :func:`ingest.html.markdown.page_to_markdown`."""
    from ingest.html import markdown  # noqa: PLC0415

    return markdown.page_to_markdown(html, url)


def json_ld(html: str, page: str) -> str:
    """See :func:`ingest.html.linked_data.json_ld`."""
    if "ld+json" not in html:
        return ""
    from ingest.html import linked_data  # noqa: PLC0415

    return linked_data.json_ld(html, page)

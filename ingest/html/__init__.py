"""HTML of pages: parsed without a depth limit, reduced to what is visible, written as Markdown.

A library for the plugins that meet HTML; parsing takes linear time and no recursion.
"""

from ingest.html.line import to_line
from ingest.html.markdown import VERSION, to_markdown
from ingest.html.metadata import HtmlMetadata, metadata

__all__ = ["VERSION", "HtmlMetadata", "metadata", "to_line", "to_markdown"]

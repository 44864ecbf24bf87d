"""The converter for HTML and XHTML."""

from ingest.html import VERSION, page_to_markdown, to_markdown
from ingest.types import WEB_PAGE, RawField


class HtmlConverter:
    """Converts a page's visible content to Markdown (see :func:`ingest.html.markdown.to_markdown`); for a
    website's page only the main content (see :mod:`ingest.html.main_content`)."""

    version = VERSION

    def accepts(self, field: RawField) -> bool:
        return field.is_html

    def convert(self, field: RawField, url: str) -> str:
        write = page_to_markdown if field.media_type == WEB_PAGE else to_markdown
        return write(field.text, url)

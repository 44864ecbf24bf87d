"""Titles for documents that have none of their own."""

from ingest.chunkers.context import marked_lines, plain_heading


def first_heading(markdown: str) -> str:
    """Return the text of the first heading, without marks; empty if there is none."""
    return next((plain_heading(found[2]) for _, found in marked_lines(markdown) if found), "")

"""The accepted versions of a page, as far as the store knows them.

The store keeps only the newest version. Earlier ones are known from the jobs of messages, for
:data:`app.pages.jobs.KEPT`; versions from imports and pulls leave no trace once there is a newer one.
"""

from sqlalchemy import Connection, func, select

from app.document import Document, Moment
from app.pages.jobs import is_of_page
from app.pages.refs import is_page, is_same_page
from app.pages.tables import bodies, jobs, pages
from ingest.types import PageRef


class VersionDocument(Document):
    """A version of a page. ``accepted_at``: ``None`` if unknown. ``is_latest``: True if it came at that time
    or earlier, because indexing a page again renews the time. ``message`` and ``job``: what brought it, empty
    for imports, pulls, and deleted messages. ``served``: True if the index has it. ``characters``: length of
    its fields as the message brought them. ``stored_bytes``: size of the newest version in the store,
    ``None`` for other versions and for a deletion."""

    sequence: int
    accepted_at: Moment | None
    is_latest: bool
    message: str
    job: str
    served: bool
    characters: int | None
    stored_bytes: int | None


def accepted_versions(connection: Connection, ref: PageRef, limit: int) -> list[VersionDocument]:
    """Return up to ``limit`` versions of a page, the newest first; none if it is unknown."""
    query = (
        select(
            pages.c.sequence,
            pages.c.indexed_sequence,
            pages.c.accepted_at,
            func.length(bodies.c.body).label("stored_bytes"),
        )
        .outerjoin_from(pages, bodies, is_same_page(pages, bodies))
        .where(is_page(ref))
    )
    page = connection.execute(query).one_or_none()
    if page is None:
        return []
    by_message = (
        select(jobs.c.sequence, jobs.c.accepted_at, jobs.c.delivery, jobs.c.id, jobs.c.characters)
        .where(is_of_page(ref), jobs.c.status == "accepted", jobs.c.sequence <= page.sequence)
        .order_by(jobs.c.sequence.desc())
        .limit(limit)
    )
    messages = {row.sequence: row for row in connection.execute(by_message)}
    known = {page.sequence, page.indexed_sequence, *messages} - {0}
    return [
        VersionDocument(
            sequence=sequence,
            accepted_at=message.accepted_at if message else page.accepted_at if is_newest else None,
            is_latest=is_newest and message is None,
            message=message.delivery if message else "",
            job=message.id if message else "",
            served=sequence == page.indexed_sequence,
            characters=message.characters if message else None,
            stored_bytes=page.stored_bytes if is_newest else None,
        )
        for sequence in sorted(known, reverse=True)[:limit]
        for message, is_newest in [(messages.get(sequence), sequence == page.sequence)]
    ]

"""Which sources a question may be answered from."""

from collections.abc import Collection

from app.errors import InputError
from app.pages.store import PageStore


def chosen_sources(store: PageStore, name: str | None, within: Collection[str] = ()) -> frozenset[str]:
    """The named source alone, or all there are; ``within`` these if any are given.

    Raises ``InputError`` that names the known ones.
    """
    known = [source for source in store.sources() if not within or source in within]
    if name is None:
        return frozenset(known)
    if name not in known:
        remedy = f"known are {', '.join(known)}" if known else "none is indexed yet"
        raise InputError(f"unknown source {name!r}: {remedy}")
    return frozenset((name,))

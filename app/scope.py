"""Which sources a question may be answered from."""

from app.errors import InputError
from app.pages.store import PageStore


def chosen_sources(store: PageStore, name: str | None) -> frozenset[str]:
    """The named source alone, or all there are. Raises ``InputError`` that names the known ones."""
    known = store.sources()
    if name is None:
        return frozenset(known)
    if name not in known:
        remedy = f"known are {', '.join(known)}" if known else "none is indexed yet"
        raise InputError(f"unknown source {name!r}: {remedy}")
    return frozenset((name,))

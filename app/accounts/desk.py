"""Adds, changes and removes users and gives them new links, for admins. Every change is logged."""

from collections.abc import Callable, Collection
from typing import Any

from app.accounts.types import User
from app.accounts.users import Account, Users
from app.errors import InputError
from app.pages.audit import AuditLog


class UserDesk:
    """Changes users. ``actor``: the person who makes a change, for the log. Every method raises
    ``PageStoreUnavailableError``."""

    def __init__(self, *, users: Users, audit: AuditLog, sources: Callable[[], Collection[str]]) -> None:
        """``sources``: returns the sources that editors can be given."""
        self._users = users
        self._audit = audit
        self._sources = sources

    def sources(self) -> list[str]:
        """The sources that editors can be given, sorted."""
        return sorted(self._sources())

    def all(self) -> list[Account]:
        """All users, by name."""
        return self._users.all()

    def get(self, name: str) -> Account:
        """Return the user with this name. Raises ``NotFoundError``."""
        return self._users.account(name)

    def add(self, user: User, actor: str) -> str:
        """Add a user and return the key of their one-time link. Raises ``InputError`` for an invalid name or
        unknown sources, and ``ConflictError`` if the name exists."""
        self._check(user)
        key = self._users.add(user)
        self._audit.record(actor, "user.add", user.name, after=_rights(user))
        return key

    def change(self, user: User, actor: str) -> None:
        """Give a user another role or other sources. Raises ``NotFoundError``, and ``InputError`` for unknown
        sources."""
        self._check(user)
        before = self._users.get(user.name)
        self._users.change(user)
        self._audit.record(actor, "user.change", user.name, _rights(before), _rights(user))

    def renew_key(self, name: str, actor: str) -> str:
        """Give a user a new one-time link and return its key. Raises ``NotFoundError``."""
        key = self._users.renew_key(name)
        self._audit.record(actor, "user.link", name)
        return key

    def remove(self, name: str, actor: str) -> None:
        """Remove a user. Raises ``NotFoundError``."""
        before = self._users.get(name)
        self._users.remove(name)
        self._audit.record(actor, "user.remove", name, _rights(before))

    def _check(self, user: User) -> None:
        if unknown := sorted((user.sources or frozenset()) - {*self._sources()}):
            raise InputError(
                "unknown source {name!r}; known: {names}",
                name=unknown[0],
                names=", ".join(self.sources()) or "none",
            )


def _rights(user: User) -> dict[str, Any]:
    visible = user.visible_sources
    return {"role": user.role, "sources": None if visible is None else sorted(visible)}


def refuse_self(name: str, actor: User) -> None:
    """Keep admins from locking themselves out. Raises ``InputError``."""
    if name == actor.name:
        raise InputError("you cannot change or remove yourself: ask another admin")

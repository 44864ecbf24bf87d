"""The people who use the console. An admin adds them; they choose a password through a one-time link."""

import json
import re
from dataclasses import dataclass
from datetime import datetime, timedelta
from typing import Any, Final

from sqlalchemy import delete, insert, select, update
from sqlalchemy.exc import IntegrityError

from app.accounts.devices import device_number, device_token
from app.accounts.secrets import fits, new_token, password_hash, token_hash
from app.accounts.types import User
from app.errors import ConflictError, InputError, LoginError, NotFoundError
from app.pages.account_tables import user_sessions, users
from app.pages.database import Store, writing
from app.pages.refs import AnyRow

KEY_TIME: Final = timedelta(hours=48)
"""Time for which a one-time link can be used."""

_NAME: Final = re.compile(r"[\w.@+-]{1,64}")
_USED_KEY: Final = "this link has been used or has expired: ask for a new one"


@dataclass(frozen=True, slots=True, kw_only=True)
class Account:
    """A user as admins see them. ``has_password``: False until they used their link."""

    user: User
    has_password: bool
    key_until: datetime | None
    added_at: datetime


class Users(Store):
    """The users in ``engine``'s database. ``clock`` returns the time, with its zone."""

    def add(self, user: User) -> str:
        """Add a user and return the key of their one-time link. Raises ``InputError`` if the name is invalid,
        and ``ConflictError`` if it exists."""
        if not _NAME.fullmatch(user.name):
            raise InputError(
                "{name!r} is not a valid name: use up to 64 letters, digits and . @ + - _", name=user.name
            )
        key = new_token()
        values = {"name": user.name, "added_at": self._clock(), **_rights(user), **self._keyed(key)}
        try:
            with writing(self._engine) as connection:
                connection.execute(insert(users).values(values))
        except IntegrityError:
            raise ConflictError("there is already a user {name!r}", name=user.name) from None
        return key

    def change(self, user: User) -> None:
        """Give a user another role or other sources, which take effect with their next request. Raises
        ``NotFoundError``."""
        self._update(user.name, _rights(user))

    def renew_key(self, name: str) -> str:
        """Give a user a new one-time link, for a forgotten password, and return its key. Raises
        ``NotFoundError``."""
        key = new_token()
        self._update(name, self._keyed(key))
        return key

    def remove(self, name: str) -> None:
        """Remove a user and log them out. Raises ``NotFoundError``."""
        with writing(self._engine) as connection:
            connection.execute(delete(user_sessions).where(user_sessions.c.user == name))
            if not connection.execute(delete(users).where(users.c.name == name)).rowcount:
                raise _unknown(name)

    def get(self, name: str) -> User:
        """Return the user with this name. Raises ``NotFoundError``."""
        return self.account(name).user

    def account(self, name: str) -> Account:
        """Return the user with this name as admins see them. Raises ``NotFoundError``."""
        row = self._row(select(users).where(users.c.name == name))
        if row is None:
            raise _unknown(name)
        return _account(row)

    def all(self) -> list[Account]:
        """All users, by name."""
        return [_account(row) for row in self._rows(select(users).order_by(users.c.name))]

    def of_key(self, key: str) -> User:
        """Return the user whose one-time link has this key. Raises ``LoginError``."""
        row = self._row(select(users).where(*self._has_key(key)))
        if row is None:
            raise LoginError(_USED_KEY)
        return user_of(row)

    def set_password(self, key: str, password: str) -> User:
        """Set a password, which uses up the one-time link, and log the user out everywhere. Raises
        ``LoginError`` if the link was used or is too old; ``InputError`` if the password is easily guessed,
        which leaves the link valid."""
        user = self.of_key(key)
        values = {"password": password_hash(password, user.name), "key": None, "key_until": None}
        with writing(self._engine) as connection:
            if not connection.execute(update(users).where(*self._has_key(key)).values(values)).rowcount:
                raise LoginError(_USED_KEY)  # used by another request meanwhile
            connection.execute(delete(user_sessions).where(user_sessions.c.user == user.name))
        return user

    def new_device(self, name: str) -> str:
        """Return a token for the browser that the user has just logged in with. Raises ``NotFoundError``."""
        return device_token(name, self._password(name) or "")

    def device(self, name: str, token: str) -> str:
        """Return the number of the user's browser with this token; empty if there is none."""
        name = name.strip()
        try:
            return device_number(token, name, self._password(name))
        except NotFoundError:
            return ""

    def _password(self, name: str) -> str | None:
        row = self._row(select(users.c.password).where(users.c.name == name))
        if row is None:
            raise _unknown(name)
        stored: str | None = row.password
        return stored

    def log_in(self, name: str, password: str) -> User:
        """Return the user with this name and password. Raises ``LoginError``, which does not reveal which of
        them is wrong."""
        row = self._row(select(users).where(users.c.name == name.strip()))
        if not fits(password, row.password if row else None) or row is None:
            raise LoginError("wrong name or password")
        return user_of(row)

    def _update(self, name: str, values: dict[str, Any]) -> None:
        with writing(self._engine) as connection:
            if not connection.execute(update(users).where(users.c.name == name).values(values)).rowcount:
                raise _unknown(name)

    def _keyed(self, key: str) -> dict[str, Any]:
        return {"key": token_hash(key), "key_until": self._clock() + KEY_TIME}

    def _has_key(self, key: str) -> tuple[Any, ...]:
        return users.c.key == token_hash(key), users.c.key_until > self._clock()


def user_of(row: AnyRow) -> User:
    """Make a user from a row of ``users``."""
    sources = None if row.sources is None else frozenset(json.loads(row.sources))
    return User(name=row.name, role=row.role, sources=sources)


def _account(row: AnyRow) -> Account:
    return Account(
        user=user_of(row),
        has_password=row.password is not None,
        key_until=row.key_until,
        added_at=row.added_at,
    )


def _rights(user: User) -> dict[str, Any]:
    sources = user.visible_sources
    return {"role": user.role, "sources": None if sources is None else json.dumps(sorted(sources))}


def _unknown(name: str) -> NotFoundError:
    return NotFoundError("there is no user {name!r}: `auskunft users` lists them", name=name)

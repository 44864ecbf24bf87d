"""Log-ins to the console. A session ends with log-out, after hours without use, or after days in any case."""

from contextlib import suppress
from datetime import timedelta
from typing import Final

from sqlalchemy import delete, insert, or_, select, update

from app.accounts.secrets import new_token, token_hash
from app.accounts.types import User
from app.accounts.users import user_of
from app.errors import UnwritableError
from app.pages.account_tables import user_sessions, users
from app.pages.database import Store, writing

IDLE: Final = timedelta(hours=10)
LONGEST: Final = timedelta(days=7)
_NOTED: Final = timedelta(minutes=5)
"""The time of use is stored at most this often, so that most requests write nothing."""


class Sessions(Store):
    """The sessions in ``engine``'s database. ``clock`` returns the time, with its zone."""

    def open(self, user: User) -> str:
        """Log a user in and return the session's token, which is not stored."""
        token, now = new_token(), self._clock()
        ended = or_(user_sessions.c.used_at < now - IDLE, user_sessions.c.opened_at < now - LONGEST)
        values = {"token": token_hash(token), "user": user.name, "opened_at": now, "used_at": now}
        with writing(self._engine) as connection:
            connection.execute(delete(user_sessions).where(ended))
            connection.execute(insert(user_sessions).values(values))
        return token

    def user(self, token: str) -> User | None:
        """Return the session's user with their present rights; ``None`` if the session ended, or the user was
        removed."""
        now, hashed = self._clock(), token_hash(token)
        found = (
            select(users, user_sessions.c.used_at)
            .join(user_sessions, user_sessions.c.user == users.c.name)
            .where(
                user_sessions.c.token == hashed,
                user_sessions.c.used_at >= now - IDLE,
                user_sessions.c.opened_at >= now - LONGEST,
            )
        )
        row = self._row(found)
        if row is None:
            return None
        if row.used_at < now - _NOTED:
            used = update(user_sessions).where(user_sessions.c.token == hashed).values(used_at=now)
            with suppress(UnwritableError), writing(self._engine) as connection:
                connection.execute(used)
        return user_of(row)

    def close(self, token: str) -> None:
        """Log this session out, if it is open."""
        with writing(self._engine) as connection:
            connection.execute(delete(user_sessions).where(user_sessions.c.token == token_hash(token)))

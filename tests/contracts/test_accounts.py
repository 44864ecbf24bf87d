"""The users of the console and their sessions, in every database."""

from collections.abc import Iterator
from dataclasses import dataclass, field
from datetime import datetime, timedelta

import pytest
from sqlalchemy import Engine, select

from app.accounts.secrets import PASSWORD_CHARACTERS
from app.accounts.sessions import IDLE, LONGEST, Sessions
from app.accounts.types import User
from app.accounts.users import KEY_TIME, Users
from app.errors import ConflictError, InputError, LoginError, NotFoundError
from app.pages.account_tables import user_sessions, users
from app.pages.database import open_engine, reading
from tests.contracts.conftest import NewDatabase
from tests.contracts.page_store.helpers import NOON

PASSWORD = "vier grosse otter baden"
KIM = User(name="kim", role="editor", sources=frozenset({"town", "pool"}))


@dataclass
class Clock:
    now: datetime = field(default=NOON)

    def __call__(self) -> datetime:
        return self.now

    def pass_by(self, time: timedelta) -> None:
        self.now += time


@pytest.fixture
def clock() -> Clock:
    return Clock()


@pytest.fixture
def engine(new_database: NewDatabase) -> Iterator[Engine]:
    engine = open_engine(new_database())
    yield engine
    engine.dispose()


@pytest.fixture
def people(engine: Engine, clock: Clock) -> Users:
    return Users(engine, clock)


@pytest.fixture
def sessions(engine: Engine, clock: Clock) -> Sessions:
    return Sessions(engine, clock)


def test_a_user_chooses_a_password_by_their_link_and_logs_in_with_it(people: Users) -> None:
    key = people.add(KIM)
    assert people.of_key(key) == KIM
    assert people.set_password(key, PASSWORD) == KIM
    assert people.log_in(" kim ", PASSWORD) == KIM
    [account] = people.all()
    assert (account.user, account.has_password, account.key_until) == (KIM, True, None)


def test_a_link_works_once_and_for_two_days(people: Users, clock: Clock) -> None:
    key = people.add(KIM)
    people.set_password(key, PASSWORD)
    with pytest.raises(LoginError):
        people.set_password(key, PASSWORD)
    key = people.renew_key("kim")
    clock.pass_by(KEY_TIME)
    with pytest.raises(LoginError):
        people.of_key(key)


def test_a_new_link_ends_the_one_before_and_leaves_the_password(people: Users) -> None:
    first = people.add(KIM)
    people.set_password(first, PASSWORD)
    second = people.renew_key("kim")
    third = people.renew_key("kim")
    with pytest.raises(LoginError):
        people.of_key(second)
    assert people.of_key(third) == KIM
    assert people.log_in("kim", PASSWORD) == KIM


@pytest.mark.parametrize("password", ["short", "aaaaaaaaaaaaaaa", "x" * (PASSWORD_CHARACTERS[1] + 1)])
def test_a_password_that_is_easily_guessed_is_refused_and_the_link_still_works(
    people: Users, password: str
) -> None:
    key = people.add(KIM)
    with pytest.raises(InputError, match="password"):
        people.set_password(key, password)
    people.set_password(key, PASSWORD)


@pytest.mark.parametrize(("name", "password"), [("kim", "another password"), ("nobody", PASSWORD), ("", "")])
def test_a_wrong_name_and_a_wrong_password_are_told_alike(people: Users, name: str, password: str) -> None:
    people.set_password(people.add(KIM), PASSWORD)
    with pytest.raises(LoginError, match=r"^wrong name or password$"):
        people.log_in(name, password)


def test_nobody_logs_in_before_they_chose_a_password(people: Users) -> None:
    people.add(KIM)
    with pytest.raises(LoginError):
        people.log_in("kim", "")


def test_a_name_is_given_once_and_has_no_spaces_or_markup(people: Users) -> None:
    people.add(KIM)
    with pytest.raises(ConflictError, match="kim"):
        people.add(User(name="kim", role="admin"))
    for name in ("", "a b", "<b>", "x" * 65, "a\n"):
        with pytest.raises(InputError, match="is not a valid name"):
            people.add(User(name=name, role="editor"))


def test_a_change_of_role_and_sources_holds_in_open_sessions(people: Users, sessions: Sessions) -> None:
    people.add(KIM)
    token = sessions.open(KIM)
    people.change(User(name="kim", role="admin", sources=frozenset({"town"})))
    user = sessions.user(token)
    assert user is not None
    assert (user.is_admin, user.visible_sources) == (True, None)


def test_an_editor_sees_their_sources_alone(people: Users) -> None:
    people.add(KIM)
    kim = people.get("kim")
    assert (kim.may_see("town"), kim.may_see("law")) == (True, False)
    assert kim.may_see_all(frozenset({"pool"})) and not kim.may_see_all(frozenset({"law", "pool"}))
    assert not kim.may_see_all(frozenset())
    assert User(name="lee", role="editor").may_see("law")


def test_a_session_ends_with_log_out(people: Users, sessions: Sessions) -> None:
    people.add(KIM)
    first, second = sessions.open(KIM), sessions.open(KIM)
    sessions.close(first)
    assert (sessions.user(first), sessions.user(second)) == (None, KIM)


def test_a_session_ends_when_it_is_not_used(people: Users, sessions: Sessions, clock: Clock) -> None:
    people.add(KIM)
    token = sessions.open(KIM)
    for _ in range(3):
        clock.pass_by(IDLE - timedelta(minutes=1))
        assert sessions.user(token) == KIM
    clock.pass_by(IDLE + timedelta(seconds=1))
    assert sessions.user(token) is None


def test_a_session_ends_after_a_week_in_any_case(people: Users, sessions: Sessions, clock: Clock) -> None:
    people.add(KIM)
    token, end = sessions.open(KIM), clock.now + LONGEST
    while clock.now < end:
        assert sessions.user(token) == KIM
        clock.pass_by(IDLE / 2)
    assert sessions.user(token) is None


def test_ended_sessions_are_deleted_when_somebody_logs_in(
    people: Users, sessions: Sessions, clock: Clock, engine: Engine
) -> None:
    people.add(KIM)
    sessions.open(KIM)
    clock.pass_by(IDLE * 2)
    sessions.open(KIM)
    with reading(engine) as connection:
        assert len(connection.execute(select(user_sessions)).all()) == 1


def test_who_is_removed_or_chooses_a_new_password_is_logged_out(people: Users, sessions: Sessions) -> None:
    people.set_password(people.add(KIM), PASSWORD)
    token = sessions.open(KIM)
    people.set_password(people.renew_key("kim"), PASSWORD)
    assert sessions.user(token) is None
    token = sessions.open(KIM)
    people.remove("kim")
    assert sessions.user(token) is None
    for change in (people.renew_key, people.remove, people.get):
        with pytest.raises(NotFoundError, match="kim"):
            change("kim")


def test_no_password_key_or_token_can_be_read_in_the_database(
    people: Users, sessions: Sessions, engine: Engine
) -> None:
    people.set_password(people.add(KIM), PASSWORD)
    secrets = (PASSWORD, people.renew_key("kim"), sessions.open(KIM))
    with reading(engine) as connection:
        rows = [*connection.execute(select(users)), *connection.execute(select(user_sessions))]
    assert not [secret for secret in secrets if secret in str(rows)]
    assert "$argon2id$" in str(rows)

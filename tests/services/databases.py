"""Databases on a test server, each with a name of its own."""

from collections.abc import Iterator
from contextlib import contextmanager
from typing import LiteralString
from uuid import uuid4

import psycopg
from psycopg import sql
from sqlalchemy import URL, make_url

from app.pages.database import connect, migrate_schema


@contextmanager
def empty_database(server: str, template: str = "template0", options: LiteralString = "") -> Iterator[URL]:
    """A database, without tables unless its ``template`` has some; it is dropped whoever still uses it."""
    name = f"auskunft_{uuid4().hex[:12]}"
    _execute(server, "CREATE DATABASE {} TEMPLATE {} " + options, name, template)
    yield make_url(server).set(database=name)
    _execute(server, "DROP DATABASE {} WITH (FORCE)", name)


@contextmanager
def template_database(server: str) -> Iterator[str]:
    """The name of a database with the present schema, to make others from quickly."""
    with empty_database(server) as url:
        engine = connect(url)
        migrate_schema(engine)
        engine.dispose()
        assert url.database is not None
        yield url.database


def _execute(server: str, statement: LiteralString, *names: str) -> None:
    with psycopg.connect(server, autocommit=True) as connection:
        connection.execute(sql.SQL(statement).format(*map(sql.Identifier, names)))

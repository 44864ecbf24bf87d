"""``auskunft users``: the people who use the console."""

import click
from rich.table import Table

from app.accounts.types import Role, User
from app.accounts.users import KEY_TIME
from app.api.admin_documents import UserDocument
from app.cli.common import TEXT, actor, console, json_option, open_services, print_json
from app.errors import InputError
from app.services import Services
from app.serving.address import server_address

_role = click.option(
    "--role", type=click.Choice(["editor", "admin"]), default="editor", help="Default: editor."
)
_sources = click.option(
    "--source",
    "sources",
    type=TEXT,
    multiple=True,
    metavar="NAME",
    help="A source that an editor may see (default: all).",
)
_name = click.argument("name", type=TEXT)


@click.group(invoke_without_command=True)
@json_option
@click.pass_context
def users(context: click.Context, as_json: bool) -> None:
    """List the users of the console at /admin."""
    if context.invoked_subcommand is not None:
        return
    with open_services() as services:
        accounts = services.users.all()
    if as_json:
        print_json([UserDocument.of(account).to_json() for account in accounts])
        return
    table = Table("name", "role", "sources", "logs in by", "since", box=None)
    for account in accounts:
        user = account.user
        sources = ", ".join(sorted(user.visible_sources)) if user.visible_sources is not None else "all"
        how = "password" if account.has_password else "link, not used yet"
        table.add_row(user.name, user.role, sources, how, f"{account.added_at:%Y-%m-%d}")
    console().print(table if accounts else "no users: auskunft users add NAME --role admin")


@users.command()
@_name
@_role
@_sources
def add(name: str, role: Role, sources: tuple[str, ...]) -> None:
    """Add a user, and print the one-time link by which they choose a password."""
    with open_services() as services:
        key = services.user_desk.add(_user(name, role, sources), actor())
        _print_link(services, name, key)


@users.command()
@_name
@_role
@_sources
def change(name: str, role: Role, sources: tuple[str, ...]) -> None:
    """Change a user's role and sources, with immediate effect."""
    with open_services() as services:
        services.user_desk.change(_user(name, role, sources), actor())
    console().print(f"{name} is {role}" + (f" of {', '.join(sources)}" if sources else ""))


@users.command()
@_name
def link(name: str) -> None:
    """Print a new one-time link, for a forgotten password."""
    with open_services() as services:
        _print_link(services, name, services.user_desk.renew_key(name, actor()))


@users.command()
@_name
def remove(name: str) -> None:
    """Remove a user and log them out at once."""
    with open_services() as services:
        services.user_desk.remove(name, actor())
    console().print(f"{name} is removed")


def _user(name: str, role: Role, sources: tuple[str, ...]) -> User:
    if sources and role == "admin":
        raise InputError("an admin sees all sources: leave out --source, or use --role editor")
    return User(name=name, role=role, sources=frozenset(sources) or None)


def _print_link(services: Services, name: str, key: str) -> None:
    address = server_address(services.settings, services.data)
    hours = KEY_TIME.total_seconds() / 3600
    out = console()
    out.print(f"Send {name} this link; it works once, for {hours:.0f} hours:")
    out.print(f"{address}/admin/welcome?key={key}")

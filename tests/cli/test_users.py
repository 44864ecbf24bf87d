"""``auskunft users``."""

from app.services import Services
from app.settings.settings import load_settings
from tests.fakes.command import Command


def test_a_user_is_added_listed_changed_given_a_link_and_removed(indexed: Command) -> None:
    assert indexed.run("users").out == "no users: auskunft users add NAME --role admin\n"
    added = indexed.run("users", "add", "kim", "--source", "town").out
    assert "http://127.0.0.1:8000/admin/welcome?key=" in added
    [listed] = indexed.run("users", "--json").json()
    assert (listed["name"], listed["role"], listed["sources"]) == ("kim", "editor", ["town"])
    assert indexed.run("users", "change", "kim", "--role", "admin").out == "kim is admin\n"
    link = indexed.run("users", "link", "kim").out.split("key=")[1].strip()
    with Services(load_settings(data=indexed.data, embedder="hashing")) as services:
        assert services.users.of_key(link).is_admin
        changes = [entry.action for entry in services.audit_log.entries()]
    assert changes == ["user.link", "user.change", "user.add"]
    assert indexed.run("users", "remove", "kim").out == "kim is removed\n"
    complaint = indexed.run("users", "remove", "kim").complaint(2)
    assert complaint == "auskunft: there is no user 'kim': `auskunft users` lists them"


def test_what_cannot_be_is_refused(indexed: Command) -> None:
    unknown = indexed.run("users", "add", "kim", "--source", "nope")
    assert unknown.complaint(2) == "auskunft: unknown source 'nope'; known: town"
    admin = indexed.run("users", "add", "kim", "--role", "admin", "--source", "town")
    assert "an admin sees all sources" in admin.complaint(2)
    assert "is not a valid name" in indexed.run("users", "add", "a b").complaint(2)
    assert indexed.run("users", "--json").json() == []

"""What editors do in WordPress is what the chat knows."""

from typing import Any

import pytest

from tests.cms.service import Auskunft, seconds_until
from tests.cms.wordpress.site import WordPress

KNOWN_WITHIN_SECONDS = 5.0


def saved(wordpress: WordPress, name: str, **fields: Any) -> dict[str, Any]:
    """A page with a word of its own."""
    content = f"<p>The {name} in Otterfurt costs 96 euros a year.</p>"
    return wordpress.save(title=f"All about {name}", **{"content": content, **fields})


def question(name: str) -> str:
    return f"How much does the {name} cost?"


def known(service: Auskunft, name: str) -> bool:
    return service.knows(question(name), f"All about {name}")


def test_the_chat_knows_what_an_editor_saved_within_five_seconds(
    wordpress: WordPress, service: Auskunft
) -> None:
    saved(wordpress, "dogtax")
    seconds_until(lambda: known(service, "dogtax"), KNOWN_WITHIN_SECONDS)


@pytest.mark.parametrize(
    ("name", "fields"),
    [
        ("draftlist", {"status": "draft"}),
        ("privatelist", {"status": "private"}),
        ("passwordlist", {"password": "otter"}),
        ("trashlist", None),
        ("deletelist", None),
    ],
)
def test_the_chat_forgets_what_visitors_may_not_read_any_more(
    wordpress: WordPress, service: Auskunft, name: str, fields: dict[str, str] | None
) -> None:
    page = saved(wordpress, name)
    seconds_until(lambda: known(service, name), KNOWN_WITHIN_SECONDS)
    if fields is None:
        wordpress.delete(page["id"], force=name == "deletelist")
    else:
        wordpress.save(number=page["id"], **fields)
    seconds_until(lambda: not known(service, name), KNOWN_WITHIN_SECONDS)


def test_a_page_with_another_slug_is_linked_there(wordpress: WordPress, service: Auskunft) -> None:
    page = saved(wordpress, "swimming", slug="swimming-old")
    seconds_until(lambda: service.knows(question("swimming"), "/swimming-old/"))
    wordpress.save(number=page["id"], slug="swimming-new")
    seconds_until(lambda: service.knows(question("swimming"), "/swimming-new/"), KNOWN_WITHIN_SECONDS)
    assert not service.knows(question("swimming"), "/swimming-old/")


def test_the_plugin_is_silent_in_the_log(wordpress: WordPress) -> None:
    saved(wordpress, "logbook")
    assert wordpress.complaints() == []

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


def test_a_page_of_the_future_is_known_when_the_clock_has_published_it(
    wordpress: WordPress, service: Auskunft
) -> None:
    page = saved(wordpress, "fireworks", status="future", date_gmt="2038-01-01T00:00:00")
    assert wordpress.waiting() == 0
    wordpress.php(f"wp_publish_post({page['id']});")
    seconds_until(lambda: known(service, "fireworks"), KNOWN_WITHIN_SECONDS)


def test_pages_trashed_at_once_are_all_gone_and_come_back(wordpress: WordPress, service: Auskunft) -> None:
    names = [f"bulk{letter}" for letter in "abcde"]
    numbers = [saved(wordpress, name)["id"] for name in names]
    seconds_until(lambda: all(known(service, name) for name in names))
    wordpress.php(f"foreach ({numbers} as $number) {{ wp_trash_post($number); }}")
    seconds_until(lambda: not any(known(service, name) for name in names))
    wordpress.php(f"foreach ({numbers} as $number) {{ wp_untrash_post($number); wp_publish_post($number); }}")
    seconds_until(lambda: all(known(service, name) for name in names))


def test_pages_below_a_page_move_with_it(wordpress: WordPress, service: Auskunft) -> None:
    parent = saved(wordpress, "townhall", slug="townhall")
    saved(wordpress, "cellar", slug="cellar", parent=parent["id"])
    seconds_until(lambda: service.knows(question("cellar"), "/townhall/cellar/"))
    wordpress.save(number=parent["id"], slug="rathaus")
    seconds_until(lambda: service.knows(question("cellar"), "/rathaus/cellar/"))


def test_types_that_are_not_checked_are_gone_and_come_back(wordpress: WordPress, service: Auskunft) -> None:
    wordpress.save("posts", title="All about festival", content="The festival costs 5 euros.")
    seconds_until(lambda: known(service, "festival"))
    wordpress.configure(types=["page"])
    seconds_until(lambda: not known(service, "festival"))
    wordpress.configure(types=["page", "post"])
    seconds_until(lambda: known(service, "festival"))


def test_drafts_are_never_queued(wordpress: WordPress) -> None:
    page = saved(wordpress, "secretdraft", status="draft")
    wordpress.save(number=page["id"], content="<p>Still a draft.</p>")
    rows = wordpress.database.query(f"SELECT COUNT(*) FROM cms.wp_auskunft WHERE post_id = {page['id']}")
    assert rows == "0"


def test_a_page_in_another_language_is_deleted_in_the_old_one(
    wordpress: WordPress, service: Auskunft
) -> None:
    page = saved(wordpress, "translated")
    seconds_until(lambda: known(service, "translated"))
    events = wordpress.php(
        "add_filter('locale', fn() => 'de_AT');"
        f"$row = (object) ['post_id' => {page['id']}, 'revision' => 7, 'language' => 'en'];"
        "return Auskunft\\Pages::events($row);"
    )
    assert [(event["type"], event["language"]) for event in events] == [
        ("page.deleted", "en"),
        ("page.saved", "de"),
    ]

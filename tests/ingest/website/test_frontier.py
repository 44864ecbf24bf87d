"""The order in which a crawl visits addresses."""

from ingest.website.frontier import Frontier
from tests.fakes.website import Answer, FakeWebsite
from tests.ingest.website.conftest import crawled


def taken(frontier: Frontier) -> list[str]:
    return [address for address, _ in iter(frontier.take, None) if address]


def test_addresses_are_taken_by_the_number_of_links_to_them_and_each_once() -> None:
    frontier = Frontier(max_visits=10)
    for address in ("a", "b", "c", "b", "c", "c"):
        frontier.add(address, clicks=1)
    assert taken(frontier) == ["c", "b", "a"]
    frontier.add("a", clicks=1)
    assert taken(frontier) == []


def test_known_addresses_are_taken_before_new_ones_and_a_canonical_one_next() -> None:
    frontier = Frontier(max_visits=10)
    for address in ("new", "new", "canonical"):
        frontier.add(address, clicks=1)
    frontier.add("known", clicks=0, known=True)
    frontier.move_to_front("canonical")
    assert taken(frontier) == ["canonical", "known", "new"]


def test_what_is_not_taken_is_told() -> None:
    frontier = Frontier(max_visits=2)
    for address in ("a", "b", "c"):
        frontier.add(address, clicks=1)
    assert frontier.pending == 2
    assert (taken(frontier), frontier.waiting) == (["a", "b"], 1)


def test_an_address_is_as_far_from_the_start_as_the_shortest_way_to_it() -> None:
    frontier = Frontier(max_visits=1)
    for clicks in (7, 2, 5):
        frontier.add("a", clicks=clicks)
    assert frontier.take() == ("a", 2)


def test_of_a_sitemap_the_pages_that_others_lead_to_are_read_first(web: FakeWebsite) -> None:
    """Links count although they are not followed."""
    paths = [f"/news/{number}" for number in range(9)] + ["/dogs", "/waste"]
    for path in paths:
        web.page(path, f"This is {path}.", "/waste")
    web.page("/", "Welcome to the town.", "/dogs", "/waste", "/unlisted")
    entries = "".join(f"<url><loc>{web.address}{path}</loc></url>" for path in paths)
    web.answers["/sitemap.xml"] = Answer(f"<urlset>{entries}</urlset>".encode())
    found = crawled(web, max_pages=4)
    assert found.paths == ["/", "/dogs", "/news/0", "/waste"]
    assert found.crawl.left_out == len(paths) - 3

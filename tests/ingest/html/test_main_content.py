"""A website's page without what surrounds its content, and nothing of the content lost."""

import pytest

from benchmarks.layouts import LAYOUTS
from ingest.converters.html import HtmlConverter
from ingest.html import page_to_markdown, to_markdown
from ingest.types import WEB_PAGE, RawField

CONTENT = (
    "<p>A dog that is older than three months must be registered within two weeks, and its owner pays a tax "
    "of 96 euros a year, which is due in February.</p><h2>Who pays less</h2><ul><li>Guide dogs and dogs of "
    "shelters are free of it, and whoever takes a dog out of a shelter pays nothing in the first year.</li>"
    "<li>Whoever has an income below the limit pays half of it; bring the notice of the office.</li>"
    "<li>Two dogs or more cost more: 120 euros for the second one and 144 euros for each other one.</li></ul>"
    "<p>The tax is due for the whole year, even if the dog comes in summer. Whoever moves away, or whose dog "
    "dies, gets back what was paid too much, if they tell the tax office within a month. You need: "
    '<a href="/form">the form</a>, <a href="/card">the card</a> and <a href="/proof">a proof</a>.</p>'
    "<table><tr><th>Dog</th><th>Tax</th></tr><tr><td>first</td><td>96 euros</td></tr></table>"
)
TITLE = "<h1>Dog tax</h1>"
MENU = "<ul>" + "".join(f'<li><a href="/{n}">Menu entry {n}</a></li>' for n in range(12)) + "</ul>"
PROSE = (
    "<p>" + "The swimming pool opens in May and closes when the leaves fall, as it always did. " * 8 + "</p>"
)


def page(body: str) -> str:
    """The Markdown of a page."""
    return page_to_markdown(f"<html><body>{body}</body></html>")


@pytest.mark.parametrize("layout", LAYOUTS)
def test_of_any_layout_the_content_is_left(layout: str) -> None:
    markdown = page_to_markdown(LAYOUTS[layout]("Dog tax", CONTENT))
    assert to_markdown(TITLE + CONTENT) in markdown
    for furniture in ("cookies", "Accept all", "Facebook", "You are here", "Waste", "Newsletter", "Imprint"):
        assert furniture not in markdown


def test_only_pages_of_websites_lose_anything() -> None:
    html = LAYOUTS["divisions"]("Dog tax", CONTENT)
    sent = HtmlConverter().convert(RawField(text=html, media_type="text/html"), "")
    crawled = HtmlConverter().convert(RawField(text=html, media_type=WEB_PAGE), "")
    assert ("Facebook" in sent, "Facebook" in crawled) == (True, False)
    assert sent == to_markdown(html)


def test_links_and_teasers_stay_where_there_is_nothing_else() -> None:
    teasers = "".join(f'<div><h3><a href="/{n}">News {n}</a></h3><p>Short.</p></div>' for n in range(9))
    assert "News 8" in page(f"<h1>News</h1>{MENU}<div>{teasers}</div>")
    assert "Menu entry 11" in page(f"<h1>Services</h1><div>{MENU}</div>")


def test_teasers_beside_a_text_go() -> None:
    teasers = "".join(f'<div><h3><a href="/{n}">News {n}</a></h3><p>Short.</p></div>' for n in range(9))
    markdown = page(f"{TITLE}<div>{PROSE}{CONTENT}</div><div>{teasers}</div>")
    assert "News" not in markdown
    assert "Guide dogs" in markdown


@pytest.mark.parametrize("box", ["<aside>{}</aside>", '<div class="sidebar">{}</div>'])
def test_whom_to_ask_stays_beside_the_text(box: str) -> None:
    contact = 'Mrs Vogel, room 12 <a href="mailto:vogel@town.example">vogel@town.example</a>'
    assert "Mrs Vogel" in page(f"<div>{TITLE}{PROSE}{CONTENT}{box.format(contact)}</div>")
    assert "Mrs Vogel" not in page(f"<div>{TITLE}{PROSE}{CONTENT}{box.format('Mrs Vogel')}</div>")


def test_a_menu_stays_no_menu_where_its_name_stands_for_food() -> None:
    dishes = "<p>Monday: lentil soup. Tuesday: dumplings. Wednesday: fish with potatoes.</p>"
    assert "lentil soup" in page(f'{TITLE}{PROSE}<div class="menu">{dishes}</div>')
    assert "entry" not in page(f'{TITLE}<div>{PROSE}<div class="menu">{MENU}</div></div>')


def test_a_heading_that_is_a_button_stays_and_other_buttons_go() -> None:
    markdown = page(f"<h1>Pool</h1><h2><button>When is it open?</button></h2>{PROSE}<button>Book</button>")
    assert "## When is it open?" in markdown
    assert "Book" not in markdown


def test_what_a_page_says_of_cookies_stays_if_it_is_its_subject() -> None:
    told = '<div>This website sets one cookie, which you accept. <a href="/more">More</a></div>'
    assert "one cookie" in page(f"<main><h1>Privacy</h1>{PROSE}{told}</main>")
    assert "one cookie" not in page(f"{told}<div><h1>Pool</h1>{PROSE}</div>")


def test_links_for_sharing_go_and_their_labels_and_not_what_only_begins_alike() -> None:
    share = '<a href="https://www.facebook.com/sharer/sharer.php?u=x">Recommend</a>'
    markdown = page(
        f"<div>{TITLE}{PROSE}{share}<div>Teilen: <a href='#a'>X</a></div>"
        '<ul><li><a href="/garden">Teilen und Tauschen</a></li></ul></div>'
    )
    assert "Recommend" not in markdown
    assert "Teilen:" not in markdown
    assert "Teilen und Tauschen" in markdown


def test_a_hostile_address_costs_time_in_proportion_to_its_length() -> None:
    link = f'<a href="{"//send?" * 50_000}">Send</a>'
    assert "Send" in page(f"<div>{TITLE}{PROSE}<p>{link}</p></div>")


def test_an_anchor_made_of_a_heading_names_no_furniture() -> None:
    section = '<div id="sharing-a-garden-with-others"><h2>Sharing</h2><p>Gardens are shared.</p></div>'
    assert "Gardens are shared" in page(f"{TITLE}{PROSE}{section}{PROSE}")


def test_what_stands_beside_the_only_article_goes_however_long_it_is() -> None:
    article = f"<article>{TITLE}{PROSE}</article>"
    aside = f"<aside><h2>Live</h2>{'<p>Somebody said something.</p>' * 60}</aside>"
    assert "Somebody" not in page(f"<div>{article}{aside}</div>")


def test_a_column_of_links_beside_the_only_article_goes_although_it_says_something() -> None:
    link = '<li>Somebody said so: <a href="/x">what somebody said</a></li>'
    article = f"<article>{TITLE}{PROSE}</article>"
    assert "Somebody" not in page(f"<div>{article}<div><ul>{link * 20}</ul></div></div>")


def test_no_menu_stands_before_the_title_even_where_the_text_is_scattered() -> None:
    scattered = f"<div>{PROSE}</div><div>{CONTENT}</div>"
    assert "entry" not in page(f"<div>{MENU}</div>{TITLE}{scattered}")
    assert "bench" in page(f"<div>{MENU}</div><p>{'A new bench. ' * 20}</p>{TITLE}{scattered}")


def test_a_notice_about_cookies_goes_wherever_it_stands() -> None:
    notice = "<div>We set cookies. <button>Accept</button></div>"
    assert "cookies" not in page(f"{TITLE}<div>{PROSE}</div><div>{CONTENT}</div>{notice}")


def test_teasers_go_even_if_they_tell_much() -> None:
    teaser = "<li><h3><a href='/{}'>News</a></h3><p>The mayor opened it, and many came to see that.</p></li>"
    teasers = "".join(teaser.format(number) for number in range(9))
    assert "mayor" not in page(f"{TITLE}<div>{PROSE}{CONTENT}</div><ul>{teasers}</ul>")


@pytest.mark.parametrize("header", ["<header>{}</header>", '<div class="masthead">{}</div>'])
def test_the_title_stays_in_whatever_it_stands(header: str) -> None:
    assert "# Dog tax" in page(f"{header.format(TITLE)}<div>{PROSE}{CONTENT}</div>")


def test_lists_of_links_stay_in_the_main_element() -> None:
    forms = '<ul><li><a href="/form">Form for dogs</a></li><li><a href="/card">Card</a></li></ul>'
    assert "Form for dogs" in page(f"<main>{TITLE}<div>{PROSE * 2}</div>{forms}</main>")


def test_any_depth_is_read() -> None:
    assert "older than three" in page("<div>" * 5_000 + TITLE + CONTENT + "</div>" * 5_000)


def test_a_page_without_text_is_empty() -> None:
    assert page("") == ""
    assert page("<nav>Menu</nav>") == to_markdown("<html><body><nav>Menu</nav></body></html>")

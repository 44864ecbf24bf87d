"""Layouts of websites: the same menus, notices and footers around a page's content, marked up in four ways.

With HTML5 elements; with class names; with tables; with divisions without any names.
"""

from collections.abc import Callable
from typing import Final

_MENU: Final = (
    "Home", "Town and administration", "Living in town", "Business and construction", "Culture", "Tourism",
    "Education", "Families and social affairs", "Services A to Z", "Town hall and council", "Mayor",
    "Vacancies", "Public notices", "Press", "Opening hours", "Contact", "Accessibility",
    "Waste and recycling", "Libraries", "Swimming pools", "Parking", "Roads and traffic", "Elections",
    "Taxes and fees", "Registry office", "Citizens' office", "Kindergartens", "Schools", "Sports clubs",
    "Volunteer work",
)  # fmt: skip


def _links(*texts: str) -> str:
    items = (f'<li><a href="/{number}">{text}</a></li>' for number, text in enumerate(texts))
    return f"<ul>{''.join(items)}</ul>"


_ALL: Final = _links(*_MENU)
_SIDE: Final = _links(*_MENU[:12])
_TRAIL: Final = 'You are here: <a href="/">Home</a> / <a href="/services">Services A to Z</a>'
_COOKIES: Final = (
    "We use cookies to make this website better. Some are needed, others help us to count visits. "
    '<button>Accept all</button> <button>Only necessary</button> <a href="/privacy">Privacy policy</a>'
)
_SHARE: Final = (
    'Share this page: <a href="#f">Facebook</a> <a href="#x">X</a> <a href="#w">WhatsApp</a> '
    '<a href="#m">E-mail</a> <a href="#p">Print this page</a>'
)
_RELATED: Final = "<h2>You may also be interested in</h2>" + _links(
    "Book an appointment online",
    "Find your councillor",
    "Report a pothole or a broken street lamp",
    "Latest news from the town hall",
)
_NEWS: Final = (
    "<h3>Newsletter</h3><p>Subscribe to our newsletter and never miss an event.</p>"
    '<form><input type="email"><button>Subscribe</button></form>'
)
_FOOTER: Final = (
    "<p>Town of Otterfurt, Market Square 1, 12345 Otterfurt</p><p>Telephone 01234 5678-0</p>"
    + _links("Imprint", "Privacy", "Accessibility statement", "Sitemap")
    + "<p>© 2026 Town of Otterfurt. All rights reserved.</p>"
)
_LOGO: Final = '<a href="/">Otterfurt</a>'


def _page(title: str, body: str) -> str:
    return f'<!doctype html><html lang="en"><head><title>{title}</title></head><body>{body}</body></html>'


def semantic(title: str, content: str) -> str:
    """Mark up with HTML5 elements."""
    return _page(
        title,
        f'<a href="#content">Skip to content</a><div role="dialog">{_COOKIES}</div>'
        f'<header>{_LOGO}<form role="search"><label>Search</label><input></form></header><nav>{_ALL}</nav>'
        f'<main id="content"><nav aria-label="breadcrumb">{_TRAIL}</nav><h1>{title}</h1>{content}'
        f"<div>{_SHARE}</div><aside>{_RELATED}</aside></main><aside>{_NEWS}</aside><footer>{_FOOTER}</footer>",
    )


def classes(title: str, content: str) -> str:
    """Mark up with class names, as many content management systems do."""
    return _page(
        title,
        f'<div id="cookie-banner">{_COOKIES}</div><div class="site-header"><div class="logo">{_LOGO}</div>'
        f'<div class="navbar">{_ALL}</div></div><div class="container"><div class="row">'
        f'<div class="col-3 sidebar">{_SIDE}{_NEWS}</div><div class="col-9 content">'
        f'<div class="breadcrumb">{_TRAIL}</div><h1>{title}</h1><div class="text">{content}</div>'
        f'<div class="social-share">{_SHARE}</div><div class="related-links">{_RELATED}</div></div></div>'
        f'</div><div class="site-footer">{_FOOTER}</div>',
    )


def tables(title: str, content: str) -> str:
    """Lay out with a table, as old websites do."""
    return _page(
        title,
        f'<div>{_COOKIES}</div><table><tr><td colspan="3">{_LOGO}</td></tr><tr><td>{_ALL}</td>'
        f"<td><p>{_TRAIL}</p><h1>{title}</h1>{content}<p>{_SHARE}</p></td><td>{_RELATED}{_NEWS}</td></tr>"
        f'<tr><td colspan="3">{_FOOTER}</td></tr></table>',
    )


def divisions(title: str, content: str) -> str:
    """Lay out with divisions that say nothing about their contents."""
    return _page(
        title,
        f"<div>{_COOKIES}</div><div><div>{_LOGO}</div><div>{_ALL}</div></div><div><div>{_SIDE}</div>"
        f"<div><div>{_TRAIL}</div><div><h1>{title}</h1></div><div>{content}</div><div>{_SHARE}</div></div>"
        f"<div>{_RELATED}{_NEWS}</div></div><div>{_FOOTER}</div>",
    )


LAYOUTS: Final[dict[str, Callable[[str, str], str]]] = {
    "HTML5": semantic,
    "class names": classes,
    "tables": tables,
    "divisions": divisions,
}

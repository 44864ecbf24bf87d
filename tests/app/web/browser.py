"""Pages as a browser without scripts takes them."""

import re
from typing import Final

from bs4 import BeautifulSoup
from werkzeug.test import TestResponse

ACTIVE: Final = "svg, iframe, style, math, object, base, template, embed, [style], [srcdoc]"
TARGET: Final = re.compile(r"/(?!/)|#[\w-]+$|https://(?:town\.example|eur-lex\.europa\.eu)/|tel:\+?\d+$")


def soup(response: TestResponse) -> BeautifulSoup:
    """The elements of an answer that is a page."""
    assert response.mimetype == "text/html"
    assert response.headers["Referrer-Policy"] == "no-referrer"
    return BeautifulSoup(response.text, "lxml")


def assert_inert(page: BeautifulSoup) -> None:
    """No inline code, nothing from elsewhere, no link but to us, to the pages of the town and to EUR-Lex."""
    assert [element.name for element in page.select(ACTIVE)] == []
    assert {str(script["src"]) for script in page.select("script")} <= {"/widget.js", "/search.js"}
    for element in page.select("*"):
        assert not [name for name in element.attrs if name.startswith("on")]
        for name in ("href", "src", "action", "formaction"):
            assert TARGET.match(str(element.get(name, "/"))), element

"""The search page over a body of law."""

from flask.testing import FlaskClient

from tests.app.web.browser import soup
from tests.app.web.test_law_page import QUESTION, data, page

__all__ = ["data", "page"]


def test_a_text_that_no_longer_applies_says_since_when(page: FlaskClient) -> None:
    found = soup(page.get("/", query_string={"q": QUESTION, "lang": "de"}))
    assert "gilt seit 2024-06-01 nicht mehr" in [said.get_text() for said in found.select(".ended")]
    newest = soup(page.get("/", query_string={"q": "How much does a crossing cost?"}))
    assert newest.select(".hits > li")
    assert not newest.select(".ended")

"""Security headers on every response."""

import pytest
from flask.testing import FlaskClient

PATHS = ("/", "/?q=dog+tax", "/api/search?q=dog", "/api/search", "/nothing", "/healthz", "/readyz")
FILES = ("/openapi.json", "/static/page.css", "/static/icon.svg")


@pytest.mark.parametrize("path", PATHS + FILES)
def test_every_response_forbids_foreign_and_inline_content(client: FlaskClient, path: str) -> None:
    response = client.get(path)
    policy = dict(part.split(" ", 1) for part in response.headers["Content-Security-Policy"].split("; "))
    assert policy == {
        "default-src": "'none'",
        "script-src": "'self'",
        "style-src": "'self'",
        "img-src": "'self'",
        "connect-src": "'self'",
        "form-action": "'self'",
        "base-uri": "'none'",
        "frame-ancestors": "'self'",
    }
    assert response.headers["X-Content-Type-Options"] == "nosniff"
    assert response.headers["Referrer-Policy"] == "no-referrer"
    assert "Set-Cookie" not in response.headers


@pytest.mark.parametrize("path", FILES)
def test_the_files_that_the_page_needs_are_there(client: FlaskClient, path: str) -> None:
    with client.get(path) as response:
        assert response.status_code == 200


def test_a_stream_has_them_too(client: FlaskClient) -> None:
    response = client.post("/api/chat", json={"question": "How much is the dog tax?"})
    assert "Content-Security-Policy" in response.headers
    assert "Set-Cookie" not in response.headers

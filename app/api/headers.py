"""Security headers on every response. No page needs inline code, other hosts, frames or cookies."""

from typing import Final

from flask import Flask, Response

NO_STORE: Final = {"Cache-Control": "no-store"}
"""Headers of responses that must not be cached."""

HEADERS: Final = {
    "Content-Security-Policy": "; ".join(
        (
            "default-src 'none'",
            "script-src 'self'",
            "style-src 'self'",
            "img-src 'self'",
            "connect-src 'self'",
            "form-action 'self'",
            "base-uri 'none'",
            "frame-ancestors 'self'",
        )
    ),
    "X-Content-Type-Options": "nosniff",
    "Referrer-Policy": "no-referrer",
}


def register(app: Flask) -> None:
    """Add the headers to every response of ``app``, including errors and static files, unless a page sets its
    own."""

    @app.after_request
    def add(response: Response) -> Response:
        for name, value in HEADERS.items():
            response.headers.setdefault(name, value)
        return response

"""Security headers on every response. No page needs inline code, other hosts, frames or cookies."""

from typing import Final

from flask import Flask, Response

NO_STORE: Final = {"Cache-Control": "no-store"}
"""For what may not be kept."""

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
    """Add the headers to every response of ``app``, also to errors and static files, unless a page has its
    own."""

    @app.after_request
    def add(response: Response) -> Response:
        for name, value in HEADERS.items():
            response.headers.setdefault(name, value)
        return response

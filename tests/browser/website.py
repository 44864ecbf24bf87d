"""A town's website, which the chat is embedded in: another origin than the service."""

from collections.abc import Mapping
from typing import Final

from tests.fakes.loopback import LoopbackServer, QuietHandler

PAGE: Final = """\
<!doctype html>
<html lang="{language}">
<head><meta charset="utf-8"><title>Otterfurt</title><meta name="viewport" content="width=device-width">
<link rel="icon" href="data:,"><link rel="stylesheet" href="/style.css"></head>
<body><main><h1>{heading}</h1><p>{text}</p>{body}</main>{script}</body>
</html>
"""
STYLE: Final = """\
:root { color-scheme: light dark; }
body { margin: 0; padding: 2rem; font: 1.125rem/1.6 Georgia, serif; }
main { max-width: 40rem; }
button, p { text-transform: uppercase; color: inherit; }
p { text-transform: none; }
"""
STRICT: Final = (
    "default-src 'none'; script-src {service}; connect-src {service}; style-src 'self' {service};"
    " img-src data:; require-trusted-types-for 'script'; trusted-types 'none'"
)
"""Nothing but the service may be loaded, and no script may parse HTML."""


class Website(LoopbackServer):
    """Use as a context manager. ``pages`` are its pages by path."""

    def __init__(self) -> None:
        super().__init__(_Handler)
        self.pages: dict[str, str] = {
            "/style.css": STYLE,
            "/dog-tax": page(heading="Hundesteuer", text="Die Steuer beträgt 96 Euro im Jahr."),
        }
        self.policies: dict[str, str] = {}

    def embed(
        self,
        service: str,
        *,
        path: str = "/",
        language: str = "de",
        body: str = "",
        strict: bool = False,
        **data: str,
    ) -> str:
        """Add a page with the chat; its address. ``data``: the script's ``data-`` attributes."""
        given = {"site": "town"} | data
        attributes = "".join(f' data-{name}="{value}"' for name, value in given.items() if value)
        script = f'<script src="{service}/widget.js"{attributes} async></script>'
        self.pages[path] = page(
            language=language, heading="Willkommen in Otterfurt", text=WELCOME, body=body, script=script
        )
        self.policies[path] = STRICT.format(service=service) if strict else ""
        return f"{self.address}{path}"


WELCOME: Final = (
    "Zwischen Fluss und Fähre liegt unsere kleine Stadt. Hier finden Sie, was das Rathaus für Sie tut, "
    "wann die Fähre fährt und wo die Bienen wohnen."
)


def page(*, heading: str, text: str, language: str = "de", body: str = "", script: str = "") -> str:
    """A page of the website."""
    return PAGE.format(language=language, heading=heading, text=text, body=body, script=script)


class _Handler(QuietHandler):
    def do_GET(self) -> None:  # noqa: N802 - http.server names it
        site: Website = self.server.fake
        path = self.path.partition("?")[0]
        found = site.pages.get(path)
        body = (found or "").encode()
        self.send_response(404 if found is None else 200)
        headers: Mapping[str, str] = {
            "Content-Type": "text/css" if path.endswith(".css") else "text/html; charset=utf-8",
            "Content-Length": str(len(body)),
        }
        for name, value in headers.items():
            self.send_header(name, value)
        if policy := site.policies.get(path):
            self.send_header("Content-Security-Policy", policy)
        self.end_headers()
        self.wfile.write(body)

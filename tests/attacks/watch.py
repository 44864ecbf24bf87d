"""A browser window that hostile texts are shown in, and all that they could do there, taken down."""

from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from typing import Any, Final
from urllib.parse import urlsplit

from playwright.sync_api import Browser, BrowserContext, Dialog, Page

from tests.attacks.payloads import ADDRESSES
from tests.fakes.loopback import LoopbackServer, QuietHandler

PATIENCE_MS: Final = 30_000
OURS: Final = "127.0.0.1"
BROWSERS_OWN: Final = (".googleapis.com", ".google.com", ".gvt1.com")
"""What Chromium asks for itself."""

REFUSALS: Final = ("Content Security Policy", "Trusted Type", "Refused to")
"""What Chromium says of what a policy kept back."""

URL_ATTRIBUTES: Final = frozenset({
    "action", "archive", "attributionsrc", "background", "cite", "classid", "codebase", "content",
    "data", "dynsrc", "formaction", "from", "href", "imagesrcset", "longdesc", "lowsrc", "manifest",
    "ping", "poster", "profile", "src", "srcdoc", "srcset", "target", "to", "usemap", "values",
    "xlink:href",
})  # fmt: skip

ELEMENTS: Final = """(selector) => {
  const within = (root) => [...root.querySelectorAll("*")].flatMap(
    (each) => [each, ...(each.shadowRoot ? within(each.shadowRoot) : [])]);
  const all = within(document);
  const chosen = selector ? all.filter((each) => each.matches(selector)).flatMap(
    (each) => [...within(each), ...(each.shadowRoot ? within(each.shadowRoot) : [])]) : all;
  return chosen.map((each) => [
    `${each.namespaceURI === "http://www.w3.org/1999/xhtml" ? "" : "svg:"}${each.localName}`,
    Object.fromEntries([...each.attributes].map((attribute) => [attribute.name, attribute.value])),
  ]);
}"""
"""The elements within those that a selector chooses, all without one; those of open shadow trees, too."""

TEXT: Final = """(selector) => {
  const within = (root) => [...root.querySelectorAll("*")].flatMap(
    (each) => [each, ...(each.shadowRoot ? within(each.shadowRoot) : [])]);
  const text = (node) => node.nodeType === Node.TEXT_NODE ? node.data
    : [...(node.shadowRoot ? [node.shadowRoot] : []), ...node.childNodes].map(text).join("");
  return within(document).filter((each) => each.matches(selector)).map(text).join("\\n");
}"""
"""All text within the elements that a selector chooses, shown or not; that of open shadow trees, too."""

Element = tuple[str, dict[str, str]]


class Trap(LoopbackServer):
    """The proxy through which everything but this machine is asked. ``hosts``: those that were."""

    def __init__(self) -> None:
        super().__init__(_Handler)
        self.hosts: list[str] = []


class _Handler(QuietHandler):
    def do_CONNECT(self) -> None:  # noqa: N802 - http.server names them
        self.server.fake.hosts.append(self.path.partition(":")[0])
        self.send_error(403)

    def do_GET(self) -> None:  # noqa: N802
        self.server.fake.hosts.append(urlsplit(self.path).hostname or self.path)
        self.send_error(404)

    do_POST = do_HEAD = do_GET  # noqa: N815


class Watch:
    """One window. ``fired``: calls of the canary; ``dialogs``, ``errors`` and ``refusals``: what they said;
    ``foreign``: addresses elsewhere that were asked for, also in vain; ``windows``: addresses of new ones."""

    def __init__(self, context: BrowserContext, trap: Trap) -> None:
        self.fired: list[int] = []
        self.dialogs: list[str] = []
        self.errors: list[str] = []
        self.refusals: list[str] = []
        self.foreign: list[str] = []
        self.windows: list[str] = []
        self._trap = trap
        context.set_default_timeout(PATIENCE_MS)
        context.expose_function("xss", lambda number=0, *_: self.fired.append(number))
        self.page: Page = context.new_page()
        context.on("page", lambda page: self.windows.append(page.url))
        context.on("request", lambda request: self._asked(request.url))
        context.on("console", lambda message: self._said(message.text))
        context.on("weberror", lambda error: self.errors.append(str(error.error)))
        self.page.on("dialog", self._dismiss)
        self.page.on("websocket", lambda socket: self._asked(socket.url))

    @property
    def trapped(self) -> list[str]:
        """The hosts elsewhere that were asked for the page."""
        return [host for host in self._trap.hosts if not host.endswith(BROWSERS_OWN)]

    def elements(self, selector: str = "") -> list[Element]:
        """Names and attributes of the elements within those that the selector chooses; of all without."""
        return [(name, attributes) for name, attributes in self.page.evaluate(ELEMENTS, selector)]

    def text(self, selector: str) -> str:
        """All text within the elements that the selector chooses, shown or not."""
        return str(self.page.evaluate(TEXT, selector))

    def assert_quiet(self) -> None:
        """Nothing ran, nothing left, and nothing had to be kept back."""
        self.page.wait_for_load_state("networkidle")
        seen: dict[str, Sequence[object]] = {
            "fired": self.fired,
            "dialogs": self.dialogs,
            "foreign": self.foreign,
            "trapped": self.trapped,
            "windows": self.windows,
            "refusals": self.refusals,
            "errors": self.errors,
        }
        happened = {name: found[:5] for name, found in seen.items() if found}
        assert not happened, happened

    def _dismiss(self, dialog: Dialog) -> None:
        self.dialogs.append(dialog.message)
        dialog.dismiss()

    def _asked(self, url: str) -> None:
        parts = urlsplit(url)
        if parts.hostname != OURS and parts.scheme not in {"data", "blob", "about"}:
            self.foreign.append(url)

    def _said(self, text: str) -> None:
        if any(words in text for words in REFUSALS):
            self.refusals.append(text)


@contextmanager
def watching(browser: Browser, trap: Trap, **options: Any) -> Iterator[Watch]:
    """A window of a new visitor; takes the options of a browser context."""
    proxy = {"server": trap.address, "bypass": OURS}
    context = browser.new_context(proxy=proxy, **options)  # type: ignore[arg-type]
    try:
        yield Watch(context, trap)
    finally:
        context.close()


def assert_no_traps(elements: Sequence[Element], hosts: Sequence[str]) -> None:
    """No handler, no style, no frame, no address but of these origins, of the page itself, or of contacts."""
    for name, attributes in elements:
        assert name not in FORBIDDEN, (name, attributes)
        for attribute, value in attributes.items():
            assert not attribute.startswith("on") and attribute != "style", (name, attributes)
            if attribute in URL_ATTRIBUTES and not _is_meta(name, attributes):
                own = value.startswith(("/", "#", "?", *(f"{host}/" for host in hosts)))
                own = own and not value.startswith(("//", "/\\"))
                assert own or value in KNOWN or value in hosts or value.startswith(CONTACTS), (
                    name,
                    attributes,
                )


CONTACTS: Final = ("mailto:", "tel:")
KNOWN: Final = frozenset({"data:,", *(url for url in ADDRESSES if url.startswith("https://"))})
"""No picture, and the addresses of pages."""

FORBIDDEN: Final = frozenset({
    "iframe", "frame", "frameset", "object", "embed", "applet", "base", "portal", "fencedframe",
    "style", "template", "math", "foreignObject", "svg:a", "svg:use", "svg:image", "svg:script",
    "svg:style", "svg:animate", "svg:set", "video", "audio", "source", "track", "picture",
})  # fmt: skip


def _is_own(address: str, hosts: Sequence[str]) -> bool:
    if address.startswith(("//", "/\\")):
        return False
    own = ("/", "#", *CONTACTS, *(f"{host}/" for host in hosts))
    return address.startswith(own) or address in KNOWN or address in hosts


def _is_meta(name: str, attributes: dict[str, str]) -> bool:
    """What tells of the page; nothing that does something."""
    return name == "meta" and "http-equiv" not in attributes

"""A visitor's browser window, with what it loaded and complained about, and the chat in it."""

from typing import Final
from urllib.parse import urlsplit

from playwright.sync_api import BrowserContext, ConsoleMessage, Locator, Page, expect

OPEN: Final = "Frage stellen"


class Visit:
    """One window. ``console``: errors and warnings; ``errors``: exceptions that no script caught;
    ``requests``: the address of everything that was asked for."""

    def __init__(self, context: BrowserContext) -> None:
        self.page: Page = context.new_page()
        self.console: list[str] = []
        self.errors: list[str] = []
        self.requests: list[str] = []
        self.page.on("console", self._on_console)
        self.page.on("pageerror", lambda error: self.errors.append(str(error)))
        self.page.on("request", lambda request: self.requests.append(request.url))

    @property
    def hosts(self) -> set[str]:
        """The hosts that were asked."""
        return {urlsplit(url).hostname or "" for url in self.requests if url.startswith("http")}

    @property
    def launcher(self) -> Locator:
        return self.page.locator(".launcher")

    @property
    def panel(self) -> Locator:
        return self.page.get_by_role("dialog")

    @property
    def field(self) -> Locator:
        return self.page.get_by_role("textbox", name="Ihre Frage")

    @property
    def exchanges(self) -> Locator:
        """The questions with their answers, in order."""
        return self.page.locator("auskunft-chat").get_by_role("article")

    @property
    def answer(self) -> Locator:
        """The text of the last answer."""
        return self.exchanges.last.locator(".blocks")

    @property
    def announced(self) -> list[str]:
        """What a screen reader was told, in order."""
        return self.page.get_by_role("status").locator("p").all_inner_texts()

    def button(self, name: str) -> Locator:
        return self.page.get_by_role("button", name=name, exact=True)

    def go(self, url: str) -> "Visit":
        """Visit a page and open its chat."""
        self.page.goto(url)
        return self.open()

    def open(self) -> "Visit":
        self.launcher.click()
        expect(self.panel).to_be_visible()
        return self

    def ask(self, question: str) -> None:
        """Send a question, without waiting for the answer."""
        self.field.fill(question)
        self.field.press("Enter")

    def finished(self) -> None:
        """Wait until the last answer is over."""
        expect(self.button("Anhalten")).to_be_hidden()
        expect(self.exchanges.last.locator(".progress p")).to_have_count(0)

    def _on_console(self, message: ConsoleMessage) -> None:
        if message.type in ("error", "warning"):
            self.console.append(message.text)

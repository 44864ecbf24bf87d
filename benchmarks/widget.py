"""Measures the chat's cost for a page that embeds it: ``python -m benchmarks widget``.

A page of another website embeds the chat of ``auskunft serve`` over the sample site, in Chromium. It measures
the bytes, the time until the button appears, the time from pressing it until one can type, and the long tasks
(over 50 ms, W3C "Long Tasks") while a long answer streams: at full speed, and with the processor slowed down
to that of a phone. The reference is the same page receiving the same stream without showing it.
"""

import asyncio
import gzip
import tempfile
from collections.abc import Iterator, Mapping, Sequence
from contextlib import ExitStack, contextmanager
from pathlib import Path
from threading import Thread
from typing import Final

import click
from playwright.sync_api import Browser, Page, expect

from app.demo import QUESTIONS
from app.web.widget import LOADER, files
from benchmarks.figures import percentiles, show
from benchmarks.paced_model import Pace, PacedModel
from benchmarks.web_servers import auskunft
from tests.browser.visit import Visit
from tests.browser.website import Website
from tests.services import MissingServiceError
from tests.services.chromium import chromium

TOKENS_PER_SECOND: Final = 100
ANSWER_TOKENS: Final = 10_000
CONTEXT_TOKENS: Final = 30_000
SLOWDOWNS: Final = {"as is": 1, "4 x slower": 4}
SITE: Final = "town"
LANGUAGE: Final = "de"
PATIENCE_MS: Final = 120_000

_OBSERVE: Final = """
window.longTasks = [];
new PerformanceObserver((list) => {
  for (const entry of list.getEntries()) longTasks.push(entry.duration / 1000);
}).observe({ type: "longtask", buffered: true });
"""
_SEEN: Final = """
(selector) => new Promise((resolve) => {
  const look = () => {
    const found = document.querySelector("auskunft-chat")?.shadowRoot?.querySelector(selector);
    if (found?.getClientRects().length) resolve(performance.now() / 1000);
    else requestAnimationFrame(look);
  };
  look();
})
"""
_PRESS: Final = """
() => {
  document.querySelector("auskunft-chat").shadowRoot.querySelector(".launcher").click();
  return performance.now() / 1000;
}
"""
_READ: Final = """
async ([url, question]) => {
  const headers = { "Content-Type": "application/json" };
  const response = await fetch(url, { method: "POST", headers, body: JSON.stringify({ question }) });
  const reader = response.body.getReader();
  while (!(await reader.read()).done);
}
"""


@click.command(help="Measure the chat in the browser.")
@click.option("--tokens", default=2_000, show_default=True, help="Tokens of the answer.")
@click.option("--loads", default=10, show_default=True, help="Times that the page is loaded.")
def main(tokens: int, loads: int) -> None:
    show_sizes(files().contents)
    pace = Pace(rephrase=0.1, first_token=0.1, between=1 / TOKENS_PER_SECOND, tokens=tokens)
    try:
        with ExitStack() as stack:
            browser = stack.enter_context(chromium())
            website = stack.enter_context(Website())
            model = stack.enter_context(_running(PacedModel(pace)))
            service = stack.enter_context(_service(website.address, model))
            page = website.embed(service, language=LANGUAGE)
            show_loading(browser, page, loads)
            for label, slowdown in SLOWDOWNS.items():
                show_long_tasks(browser, page, service, label, slowdown)
    except MissingServiceError as missing:
        show("in the browser", f"not measured: {missing}")


def show_sizes(contents: Mapping[str, bytes]) -> None:
    """Print the bytes as sent, with the texts of one language."""
    sent = [name for name in contents if "/" not in name or name == f"texts/{LANGUAGE}.json"]
    sizes = {name: len(gzip.compress(contents[name], mtime=0)) for name in sent}
    show("sent to a page that asks nothing, gzip", f"{sizes[LOADER]:,} bytes")
    show(f"sent once the chat is opened, gzip, {len(sent)} files", f"{sum(sizes.values()):,} bytes")


def show_loading(browser: Browser, url: str, loads: int) -> None:
    """Measure loading, each time in a browser with empty caches."""
    buttons, fields = [], []
    for _ in range(loads):
        with _visit(browser) as visit:
            visit.page.goto(url, wait_until="commit")
            buttons.append(float(visit.page.evaluate(_SEEN, ".launcher")))
            pressed = float(visit.page.evaluate(_PRESS))
            fields.append(float(visit.page.evaluate(_SEEN, "textarea")) - pressed)
    show("from navigating until the button is there", percentiles(buttons))
    show("from pressing it until one can type", percentiles(fields))


def show_long_tasks(browser: Browser, url: str, service: str, label: str, slowdown: int) -> None:
    """Measure long tasks while an answer streams into the chat, and while the page only receives it."""
    with _visit(browser, slowdown) as visit:
        visit.go(url)
        _forget(visit.page)
        visit.ask(QUESTIONS[0])
        expect(visit.button("Anhalten")).to_be_visible(timeout=PATIENCE_MS)
        expect(visit.button("Anhalten")).to_be_hidden(timeout=PATIENCE_MS)
        shown = _long_tasks(visit.page)
        characters = len(visit.answer.inner_text())
    with _visit(browser, slowdown) as visit:
        visit.page.goto(url)
        _forget(visit.page)
        visit.page.evaluate(_READ, [f"{service}/api/chat?site={SITE}", QUESTIONS[0]])
        read = _long_tasks(visit.page)
    show(f"long tasks, {label}", f"{_told(shown)} ({characters:,} characters)")
    show("  without showing the stream", _told(read))


@contextmanager
def _visit(browser: Browser, slowdown: int = 1) -> Iterator[Visit]:
    context = browser.new_context()
    try:
        visit = Visit(context)
        visit.page.add_init_script(_OBSERVE)
        session = context.new_cdp_session(visit.page)
        session.send("Emulation.setCPUThrottlingRate", {"rate": slowdown})
        yield visit
    finally:
        context.close()


def _forget(page: Page) -> None:
    page.evaluate("longTasks.length = 0")


def _long_tasks(page: Page) -> list[float]:
    """The seconds of each long task."""
    found: list[float] = page.evaluate("longTasks")
    return found


def _told(tasks: Sequence[float]) -> str:
    return f"{len(tasks)}, the longest {max(tasks) * 1000:.0f} ms" if tasks else "none"


@contextmanager
def _service(origin: str, model: PacedModel) -> Iterator[str]:
    """Yield the address of a service whose only site is at ``origin``."""
    sites = f'[{{"key": "{SITE}", "origins": ["{origin}"], "language": "{LANGUAGE}"}}]'
    limits = {"chat__answer_tokens": ANSWER_TOKENS, "chat__context_tokens": CONTEXT_TOKENS}
    with (
        tempfile.TemporaryDirectory() as name,
        auskunft(Path(name), model.base_url, sites=sites, **limits) as server,
    ):
        yield server.url.rstrip("/")


@contextmanager
def _running(model: PacedModel) -> Iterator[PacedModel]:
    """Serve in a new thread, because Playwright occupies this one."""
    loop = asyncio.new_event_loop()
    thread = Thread(target=loop.run_forever, daemon=True)
    thread.start()
    try:
        asyncio.run_coroutine_threadsafe(model.__aenter__(), loop).result()
        yield model
    finally:
        loop.call_soon_threadsafe(loop.stop)
        thread.join()


if __name__ == "__main__":
    main(prog_name="python -m benchmarks.widget")

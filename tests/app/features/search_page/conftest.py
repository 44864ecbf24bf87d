"""The page and the element are used in a real browser, over the service that the browser tests start."""

from tests.browser.conftest import axe, service, shared_llm, visit, website

__all__ = ["axe", "service", "shared_llm", "visit", "website"]

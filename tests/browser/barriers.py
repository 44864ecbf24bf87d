"""Barriers that axe-core finds in a page, in the looks that visitors choose."""

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any, Final, Literal

from playwright.sync_api import Page

WIDE: Final = (1280, 800)
NARROW: Final = (320, 568)
OVERFLOW: Final = "() => document.documentElement.scrollWidth - innerWidth"


@dataclass(frozen=True, slots=True)
class Look:
    """A window and its colours. ``rules``: those of axe that it can change, by default all."""

    size: tuple[int, int] = WIDE
    colors: Literal["light", "dark"] = "light"
    forced: Literal["active", "none"] = "none"
    rules: tuple[str, ...] = ()

    def put_on(self, page: Page) -> None:
        """Let the page look so; nothing moves on it."""
        width, height = self.size
        page.set_viewport_size({"width": width, "height": height})
        page.emulate_media(color_scheme=self.colors, forced_colors=self.forced, reduced_motion="reduce")


OF_COLORS: Final = ("color-contrast", "link-in-text-block")
LOOKS: Final = (
    Look(),
    Look(colors="dark", rules=OF_COLORS),
    Look(forced="active", rules=OF_COLORS),
    Look(NARROW),
)


def barriers(page: Page, axe: str, look: Look = LOOKS[0]) -> list[str]:
    """What axe finds, in a line each; and what it could not judge within an element of ours, but for the
    contrast of colours that the system forces."""
    page.wait_for_load_state()
    page.evaluate(f"if (!window.axe) {{ {axe} }}")
    # Loading style sheets and media anew serves two rules that nothing here can break, and takes most time.
    options: dict[str, Any] = {"resultTypes": ["violations", "incomplete"], "preload": False}
    if look.rules:
        options["runOnly"] = look.rules
    result = page.evaluate("options => axe.run(document, options)", options)
    return [*_violations(result), *_unclear(result, forced=look.forced == "active")]


def barriers_in_every_look(page: Page, axe: str) -> list[str]:
    """... in each of the looks; and by how much the page is too wide for it. The first look stays."""
    found = []
    for look in (*LOOKS[1:], LOOKS[0]):
        look.put_on(page)
        found += [f"{line} ({look})" for line in barriers(page, axe, look)]
        if (pixels := page.evaluate(OVERFLOW)) > 0:
            found.append(f"{pixels} pixels too wide ({look})")
    return found


def _violations(result: Mapping[str, Any]) -> list[str]:
    return [
        f"{violation['id']}: {node['target']}: {node['failureSummary']}"
        for violation in result["violations"]
        for node in violation["nodes"]
    ]


def _unclear(result: Mapping[str, Any], *, forced: bool) -> list[str]:
    return [
        f"unclear {unclear['id']}: {node['target']}"
        for unclear in result["incomplete"]
        for node in unclear["nodes"]
        if isinstance(node["target"][0], list) and not (forced and unclear["id"] == "color-contrast")
    ]

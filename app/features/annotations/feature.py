"""The annotations feature: people cut pages and units of law into chunks and give them references."""

from typing import Final

from app.feature import Command, Feature, MenuEntry, PageLink

feature: Final = Feature(
    package=__package__,
    blueprints=(f"{__package__}.api:blueprint", f"{__package__}.console:blueprint"),
    menu=(
        MenuEntry(
            "console_annotations.page",
            "menu_annotations",
            order=80,
            is_shown=f"{__package__}.services:has_any",
        ),
    ),
    page_links=(PageLink("console_annotations.unit", "cut_by_hand_link"),),
    commands={
        "annotations": Command(
            f"{__package__}.command", "Show and change how law is cut and what it refers to.", "Pages"
        )
    },
    tables=f"{__package__}.tables",
    annotations=f"{__package__}.services:current",
    labels={"references": "references"},
    large_bodies=("/admin/annotations/",),
)

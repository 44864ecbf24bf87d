"""Explain, as a feature of Auskunft."""

from typing import Final

from app.feature import Command, Feature, MenuEntry

feature: Final = Feature(
    package=__package__,
    blueprints=(
        f"{__package__}.api:traces",
        f"{__package__}.api:drafts",
        f"{__package__}.api:cms_drafts",
        f"{__package__}.console:try_it",
        f"{__package__}.console:drafts",
    ),
    menu=(
        MenuEntry("try_it.page", "menu_try", order=20),
        MenuEntry("console_draft.page", "menu_draft", order=30),
    ),
    labels={"title": "draft_title", "url": "draft_url"},
    large_bodies=("/api/admin/draft", "/admin/draft"),
    commands={
        "explain": Command(
            f"{__package__}.command",
            "Show how a question is answered, or why a page is not found.",
            "Answers",
        )
    },
)

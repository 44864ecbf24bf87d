"""The contradictions feature: passages that give different figures for the same thing."""

from typing import Final

from app.feature import Box, Command, Feature, MenuEntry

feature: Final = Feature(
    package=__package__,
    blueprints=(f"{__package__}.api:blueprint", f"{__package__}.console:blueprint"),
    menu=(MenuEntry("console_contradictions.page", "menu_contradictions", order=70),),
    boxes=(
        Box("overview.page", "console/open_contradictions.html", f"{__package__}.console:open_ones"),
        Box("console_draft.ask", "console/draft_contradictions.html", f"{__package__}.console:of_draft"),
    ),
    commands={
        "contradictions": Command(f"{__package__}.command", "List pages that contradict each other.", "Pages")
    },
    nightly=(f"{__package__}.services:compare_changed_pages",),
    tables=f"{__package__}.tables",
    news=(f"{__package__}.news:news",),
    objections=(f"{__package__}.objections:objections",),
)

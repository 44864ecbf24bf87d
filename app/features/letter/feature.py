"""The letter feature: a weekly letter to editors."""

from typing import Final

from app.feature import Command, Feature, MenuEntry, Step

feature: Final = Feature(
    package=__package__,
    blueprints=(f"{__package__}.web:blueprint", f"{__package__}.console:blueprint"),
    menu=(
        MenuEntry("console_letter.page", "menu_letter", order=80, is_shown=f"{__package__}.services:is_used"),
    ),
    commands={
        "letter": Command(
            f"{__package__}.command", "Show the weekly letter to editors, or send it now.", "Answers"
        )
    },
    steps=(Step("letter", "models", run=f"{__package__}.step:send", is_due=f"{__package__}.step:is_due"),),
    expire=(f"{__package__}.step:forget",),
    checks={"letter": f"{__package__}.services:letter"},
    tables=f"{__package__}.tables",
    news=(f"{__package__}.old_pages:news",),
)

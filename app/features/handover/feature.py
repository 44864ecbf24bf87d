"""The hand-over feature: visitors send messages to a person."""

from typing import Final

from app.feature import Command, Feature, MenuEntry, Step

feature: Final = Feature(
    package=__package__,
    blueprints=(f"{__package__}.web:blueprint", f"{__package__}.console:blueprint"),
    menu=(
        MenuEntry(
            "console_handover.page",
            "menu_handovers",
            order=40,
            group="running",
            for_admins=True,
            is_shown=f"{__package__}.services:is_used",
        ),
    ),
    commands={
        "handovers": Command(
            f"{__package__}.command", "List messages handed over; send them again.", "Answers"
        )
    },
    steps=(Step("handover", "models", run=f"{__package__}.step:send", is_due=f"{__package__}.step:is_due"),),
    expire=(f"{__package__}.step:delete_expired",),
    checks={"hand-overs": f"{__package__}.services:handovers"},
    tables=f"{__package__}.tables",
    claims=(f"{__package__}.tables:LEASES",),
    offers=f"{__package__}.offer:offer",
)

"""The translations feature: learns translations of words from pages in two languages."""

from typing import Final

from app.feature import Command, Feature

feature: Final = Feature(
    package=__package__,
    commands={
        "terms": Command(
            f"{__package__}.command",
            "Show translations learned from pages in two languages.",
            "Answers",
        )
    },
    nightly=(f"{__package__}.services:learn",),
    terms=f"{__package__}.services:learned_terms",
    tables=f"{__package__}.tables",
)

"""The curation feature: editors' decisions about answers."""

from typing import Final

from app.feature import Command, Feature, MenuEntry

feature: Final = Feature(
    package=__package__,
    blueprints=(f"{__package__}.api:blueprint", f"{__package__}.console:blueprint"),
    menu=(MenuEntry("console_curation.page", "menu_curation", order=50),),
    commands={
        "curation": Command(
            f"{__package__}.command", "Pins, fixed answers, synonyms, blocked subjects, examples.", "Answers"
        )
    },
    tables=f"{__package__}.tables",
    labels={
        "phrasings": "phrasings",
        "words": "words",
        "page": "pinned_page",
        "contact": "contact",
        "until": "until",
        "owner": "owner",
    },
    decisions=f"{__package__}.services:decisions",
)

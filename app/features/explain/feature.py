"""Explain, as a feature of Auskunft."""

from typing import Final

from app.feature import Feature, MenuEntry

feature: Final = Feature(
    package=__package__,
    blueprints=(f"{__package__}.api:blueprint", f"{__package__}.console:blueprint"),
    menu=(MenuEntry("console_draft.page", "menu_draft", order=30),),
)

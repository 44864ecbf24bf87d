"""The search page feature."""

from typing import Final

from app.feature import Feature, StartPage

feature: Final = Feature(
    package=__package__,
    blueprints=(f"{__package__}.api:blueprint", f"{__package__}.web:blueprint"),
    start_page=StartPage(f"{__package__}.web:page", "page_to_search"),
)

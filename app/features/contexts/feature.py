"""Contexts, as a feature of Auskunft."""

from typing import Final

from app.feature import Feature, Step

feature: Final = Feature(
    package=__package__,
    steps=(Step("contexts", "models", run=f"{__package__}.step:write", is_due=f"{__package__}.step:is_due"),),
    expire=(f"{__package__}.step:delete_expired",),
)

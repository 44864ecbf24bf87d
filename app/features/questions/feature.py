"""Questions, as a feature of Auskunft."""

from typing import Final

from app.feature import Feature, Step

feature: Final = Feature(
    package=__package__,
    steps=(
        Step("grouping", "idle", run=f"{__package__}.step:group", is_due=f"{__package__}.step:must_group"),
        Step(
            "comparing", "idle", run=f"{__package__}.step:compare", is_due=f"{__package__}.step:must_compare"
        ),
    ),
    expire=(f"{__package__}.step:request_groups",),
)

"""Evaluation, as a feature of Auskunft."""

from typing import Final

from app.feature import Feature, Step

feature: Final = Feature(
    package=__package__,
    steps=(
        Step(
            "live_quality",
            "models",
            run=f"{__package__}.step:grade",
            is_due=f"{__package__}.step:is_due",
            lease_share=2.5,  # a judge may take long for one answer
        ),
    ),
)

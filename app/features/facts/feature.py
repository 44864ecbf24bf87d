"""Facts, as a feature of Auskunft."""

from typing import Final

from app.feature import AnswerStep, Feature

feature: Final = Feature(
    package=__package__,
    answer_steps=(
        AnswerStep(f"{__package__}.hours_step:make_step", before="ListSources"),
        AnswerStep(f"{__package__}.price_step:make_step", before="ListSources"),
    ),
)

"""The memory feature: remembers pages that a conversation has cited."""

from typing import Final

from app.feature import AnswerStep, Feature

feature: Final = Feature(
    package=__package__,
    answer_steps=(AnswerStep(f"{__package__}.answer_step:remember_pages", before="PlanContext"),),
)

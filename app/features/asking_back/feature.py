"""The asking-back feature: asks which page is meant."""

from typing import Final

from app.feature import AnswerStep, Feature

feature: Final = Feature(
    package=__package__,
    answer_steps=(AnswerStep(f"{__package__}.answer_step:make_step", before="PlanContext"),),
    warm_up=f"{__package__}.generality:warm_up",
)

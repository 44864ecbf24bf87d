"""The second search feature: the model may ask for one more search."""

from typing import Final

from app.feature import AnswerStep, Feature

feature: Final = Feature(
    package=__package__,
    answer_steps=(AnswerStep(f"{__package__}.answer_step:search_again", after="PlanContext"),),
)

"""The feature that shows facts in a card above an answer."""

from typing import Final

from app.feature import AnswerStep, Box, Feature

feature: Final = Feature(
    package=__package__,
    blueprints=(f"{__package__}.api:blueprint", f"{__package__}.console:blueprint"),
    boxes=(Box("page_list.one", "console/page_facts.html", f"{__package__}.console:facts"),),
    tables=f"{__package__}.tables",
    answer_steps=(
        AnswerStep(f"{__package__}.hours_step:make_step", before="ListSources"),
        AnswerStep(f"{__package__}.fact_step:make_step", before="ListSources"),
    ),
)

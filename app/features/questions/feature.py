"""Questions, as a feature of Auskunft."""

from typing import Final

from app.feature import Box, Command, Feature, MenuEntry, Step

feature: Final = Feature(
    package=__package__,
    blueprints=(
        f"{__package__}.api:blueprint",
        f"{__package__}.console:blueprint",
        f"{__package__}.console:answer_changes",
    ),
    menu=(MenuEntry("console_questions.page", "menu_questions", order=40),),
    boxes=(
        Box("page_list.one", "console/citing_questions.html", f"{__package__}.console:citing"),
        Box("overview.page", "console/top_gaps.html", f"{__package__}.console:top_gaps"),
    ),
    labels={"assigned_to": "assigned_to", "comment": "comment"},
    commands={
        "question-groups": Command(
            f"{__package__}.command",
            "List questions grouped by meaning: how often, how answered.",
            "Answers",
        ),
        "questions": Command(
            f"{__package__}.command", "List visitors' questions and how they were answered.", "Answers"
        ),
    },
    steps=(
        Step(
            "grouping",
            "idle",
            run=f"{__package__}.services:group",
            is_due=f"{__package__}.services:is_grouping_due",
        ),
        Step(
            "comparing",
            "idle",
            run=f"{__package__}.services:compare",
            is_due=f"{__package__}.services:is_comparison_due",
        ),
    ),
    expire=(f"{__package__}.services:request_groups",),
    tables=f"{__package__}.tables",
    news=(f"{__package__}.news:news",),
)

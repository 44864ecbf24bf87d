"""Evaluation, as a feature of Auskunft."""

from typing import Final

from app.feature import Command, CounterFamily, Feature, MenuEntry, Step

LIVE_ANSWERS: Final = "live_answers"
"""Counts the answers to a site's visitors that were graded, or could not be."""
LIVE_SCORES: Final = "live_scores"
"""Sums their scores by criterion, each from 0 to 1."""

_COMMANDS: Final = {
    "calibrate": "Propose thresholds for the embedder, from a pool of questions.",
    "compare": "Compare the graded answers of several configurations.",
    "evaluate": "Measure retrieval on a pool of questions.",
    "judge": "Let a language model grade answers.",
    "labels": "Let people grade answers, and compare them with the judge.",
    "live-quality": "Show the grades of answers to visitors, day by day.",
    "pool": "Check, split and draft pools of questions.",
    "recall": "Compare ways to rank chunks on a pool of questions.",
    "rubric": "Draft examples for the judge.",
    "runs": "List, show, delete and export stored evaluations.",
    "sheets": "Answer a pool's questions, for grading.",
}

feature: Final = Feature(
    package=__package__,
    blueprints=(f"{__package__}.api:blueprint", f"{__package__}.console:blueprint"),
    menu=(MenuEntry("runs.page", "menu_runs", order=40, group="running", for_admins=True),),
    commands={
        name: Command(f"{__package__}.commands.{name.replace('-', '_')}", text, "Quality")
        for name, text in _COMMANDS.items()
    }
    | {
        "doctor": Command(
            f"{__package__}.commands.doctor",
            "Check the installation, or whether the model is suitable.",
            "Operations",
        )
    },
    steps=(
        Step(
            "live_quality",
            "models",
            run=f"{__package__}.step:grade",
            is_due=f"{__package__}.step:is_due",
            lease_share=2.5,  # a judge may take long for one answer
        ),
        Step(
            "evaluation",
            "idle",
            run=f"{__package__}.pool_step:ask",
            is_due=f"{__package__}.pool_step:is_waiting",
        ),
    ),
    checks={"live quality": f"{__package__}.step:live_quality"},
    counters=(
        CounterFamily(
            LIVE_ANSWERS,
            "auskunft_live_answers",
            "Answers to visitors that a judge graded, or could not",
            ("site", "outcome"),
        ),
        CounterFamily(
            LIVE_SCORES,
            "auskunft_live_scores",
            "Sum of the scores of graded answers, each from 0 to 1",
            ("site", "criterion"),
        ),
    ),
    large_bodies=("/admin/evaluations",),
    tables=f"{__package__}.tables",
    claims=(f"{__package__}.live_grades:LEASES",),
    grading=f"{__package__}.services:grading",
)

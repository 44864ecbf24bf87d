"""The contexts feature: a language model describes what each chunk is about."""

from typing import Final

from app.feature import Command, CounterFamily, Feature, Step

CONTEXTS: Final = "contexts"
"""Counts the contexts of a source's chunks that were written, and those that could not be."""

CONTEXT_TOKENS: Final = "context_tokens"
"""Counts the tokens for a source's contexts: ``prompt``, the ``cached`` part of it, and ``output``."""

CONTEXT_DAY: Final = "context_day"
"""Counts the tokens for all sources on one day; deleted after that day."""

feature: Final = Feature(
    package=__package__,
    commands={
        "contexts": Command(
            f"{__package__}.command", "Show and write what a model says each chunk is about.", "Pages"
        )
    },
    steps=(
        Step(
            "contexts", "models", run=f"{__package__}.services:write", is_due=f"{__package__}.services:is_due"
        ),
    ),
    expire=(f"{__package__}.services:delete_expired",),
    enricher=f"{__package__}.services:chunk_enricher",
    claims=(f"{__package__}.tables:CLAIMS",),
    checks={"contexts": f"{__package__}.services:contexts"},
    counters=(
        CounterFamily(
            CONTEXTS,
            "auskunft_contexts",
            "Replies of the model that writes contexts, by what came of them",
            ("source", "outcome"),
        ),
        CounterFamily(
            CONTEXT_TOKENS,
            "auskunft_context_tokens",
            "Tokens for contexts: prompt, of these cached, and output",
            ("source", "kind"),
        ),
    ),
    collectors=(f"{__package__}.metrics:metrics",),
    tables=f"{__package__}.tables",
)

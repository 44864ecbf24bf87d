"""A feature that decides about answers as people would: one question has a fixed answer."""

from collections.abc import Sequence
from typing import Final

from app.chat.decisions import NO_DECISION, Decision, FixedReply
from app.chat.site_search import PagesSearch
from app.feature import Feature
from app.presets import Preset
from app.search.site_retriever import SiteRetriever
from app.services import Services
from app.settings.sites import SiteSettings

FIXED_QUESTION: Final = "Who paints the town hall?"
FIXED_ANSWER: Final = "Otto does, *on Mondays*."
EXAMPLE: Final = "Who feeds the otters?"

FIXED_ANSWERS: Final = Feature(package=__package__, decisions=f"{__name__}:fixed_answers")


class FixedAnswers:
    """Decides the same about every site."""

    def site_search(self, _site: str, _preset: Preset, retriever: SiteRetriever) -> "SiteFixedAnswers":
        """The search of a site."""
        return SiteFixedAnswers(retriever)

    def examples(self, site: SiteSettings) -> Sequence[tuple[str, str]]:
        """One before those of the settings."""
        return [(EXAMPLE, "en"), *((text, "") for text in site.examples)]


class SiteFixedAnswers(PagesSearch):
    """Decides about one question; others are searched for as they are."""

    def decide(self, question: str, _language: str | None) -> Decision:
        """Give the question its answer."""
        if question != FIXED_QUESTION:
            return NO_DECISION
        return Decision(reply=FixedReply(number=7, kind="answer", text=FIXED_ANSWER))


def fixed_answers(_services: Services) -> FixedAnswers:
    """The decisions, as the feature names them."""
    return FixedAnswers()

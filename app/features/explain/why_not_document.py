"""The JSON document that says why a page is not in an answer."""

from typing import Any, Final, Self

from app.api.page_documents import PageDetailsDocument, PageRefDocument
from app.document import Document, Rounded, package_json
from app.features.explain.search_documents import FieldDocument, TracedPageDocument, field_documents
from app.features.explain.weighing import WeighedPage
from app.features.explain.why_not import Cause, Remedy, RemedyCode, WhyNot

LANGUAGES: Final = ("en", "de")
"""The first is used for any other."""

_FIGURES: Final = ("similarity", "threshold", "score")


class RivalDocument(TracedPageDocument):
    """A page that was ranked before the weighed one."""

    place: int
    score: Rounded
    ahead: dict[str, Rounded]
    strongest: str
    newer: bool | None


class WeighedPageDocument(TracedPageDocument):
    """The page in a search."""

    search: int
    was_candidate: bool
    passed: bool
    place: int | None
    limit: int
    score: Rounded
    parts: dict[str, Rounded]
    coverage: Rounded
    fields: dict[str, FieldDocument]
    words_missing: list[str]
    words_not_in_headings: list[str]
    beaten_by: list[RivalDocument]


class RemedyDocument(Document):
    """A change that would help. ``values``: of the placeholders of its sentence."""

    code: RemedyCode
    values: dict[str, str]
    sentence: str


class WhyNotDocument(Document):
    """The cause that keeps a page out of the answer, and what would help."""

    name: str
    page: PageRefDocument | None
    cause: Cause
    sentence: str
    number: int | None
    is_older_version: bool
    state: PageDetailsDocument | None
    weighed: WeighedPageDocument | None
    remedies: list[RemedyDocument]

    @classmethod
    def of(cls, why: WhyNot, language: str) -> Self:
        """Describe cause and remedies with sentences in ``language``."""
        return cls.from_objects(
            why,
            sentence=cause_sentence(why.cause, language),
            state=None if why.details is None else PageDetailsDocument.of(why.details),
            weighed=None if why.weighed is None else _weighed(why.weighed),
            remedies=[
                RemedyDocument.from_objects(remedy, sentence=remedy_sentence(remedy, language))
                for remedy in why.remedies
            ],
        )


def _weighed(weighed: WeighedPage) -> WeighedPageDocument:
    candidate = weighed.candidate
    return WeighedPageDocument.of(
        candidate.page,
        weighed,
        passed=weighed.is_qualified,
        coverage=candidate.coverage,
        fields=field_documents(candidate, weighed.thresholds),
        beaten_by=[RivalDocument.of(rival.page, rival) for rival in weighed.rivals],
    )


def cause_sentence(cause: Cause, language: str) -> str:
    """Return the sentence about a cause, in ``language`` or else in English."""
    sentence: str = _texts(language)["causes"][cause]
    return sentence


def remedy_sentence(remedy: Remedy, language: str) -> str:
    """Return the sentence about a remedy, in ``language`` or else in English."""
    texts = _texts(language)
    sentence: str = texts["remedies"][remedy.code]
    names = {"part": texts["parts"], "field": texts["fields"]}
    values = {name: names.get(name, {}).get(value, value) for name, value in remedy.values.items()}
    if language == "de":
        values |= {name: value.replace(".", ",") for name, value in values.items() if name in _FIGURES}
    return sentence.format(**values).strip()


def _texts(language: str) -> Any:
    named = language if language in LANGUAGES else LANGUAGES[0]
    return package_json(__package__, f"texts/why_not.{named}.json")

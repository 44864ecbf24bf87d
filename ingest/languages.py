"""Language codes in pages, and detection of a text's language."""

import re
from functools import cache
from typing import Final

from py3langid.langid import MODEL_FILE, LanguageIdentifier

from ingest.types import UNDETERMINED

MIN_LETTERS: Final = 20
"""The language of shorter texts is not detected: names and headings look alike in many languages."""

MIN_CONFIDENCE: Final = 0.9
SAMPLE_CHARACTERS: Final = 5_000

_TAG: Final = re.compile(r"([a-z]{2})(?:[-_].*)?\Z", re.I | re.S)


def normalise(tag: str) -> str | None:
    """Return the ISO 639-1 code of a language tag (``en-GB`` -> ``en``), or None if it starts with none."""
    match = _TAG.match(tag.strip())
    return match[1].lower() if match else None


def detect(text: str) -> str:
    """Return the ISO 639-1 code of the text's language; ``und`` if it is too short or unclear."""
    sample = text[:SAMPLE_CHARACTERS]
    if sum(map(str.isalpha, sample)) < MIN_LETTERS:
        return UNDETERMINED
    language, confidence = _identifier().classify(sample)
    return language if confidence >= MIN_CONFIDENCE and len(language) == 2 else UNDETERMINED


@cache
def _identifier() -> LanguageIdentifier:
    return LanguageIdentifier.from_model_file(MODEL_FILE, norm_probs=True)

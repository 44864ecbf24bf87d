"""How questions are answered."""

from dataclasses import dataclass

from app.chat.text.phrases import FALLBACK_LANGUAGE
from app.presets import Purpose


@dataclass(frozen=True, slots=True, kw_only=True)
class ChatOptions:
    """Tokens and seconds.

    ``purpose``: the prompt's template. ``budget_tokens``: at most this much of the pages goes to the model.
    ``answer_tokens``: the longest answer. ``rephrase``: whether the model rephrases a question without
    history too (a follow-up it always does). ``extract``: whether it then also gives keywords and the time
    asked for. ``keep_original``: whether what the question finds as it was asked stays beside what the
    rephrased one finds. ``contact``: whom to ask where the pages have no answer. ``language``: of what we say
    where neither question nor pages show one.
    """

    purpose: Purpose = "answer"
    budget_tokens: int = 6_000
    answer_tokens: int = 1_000
    rephrase: bool = True
    extract: bool = False
    keep_original: bool = True
    rephrase_seconds: float = 8.0
    question_characters: int = 2_000
    contact: str = ""
    language: str = FALLBACK_LANGUAGE

"""The options of answering."""

from dataclasses import dataclass

from app.chat.text.phrases import FALLBACK_LANGUAGE
from app.presets import Context, Purpose


@dataclass(frozen=True, slots=True, kw_only=True)
class ChatOptions:
    """Limits in tokens, seconds and characters, and how questions are searched.

    ``purpose``: the prompt where both pages and law are found. ``context``: what the model reads.
    ``budget_tokens``: of all pages in the prompt. ``answer_tokens``: of the longest answer. ``rephrase``:
    True if the model rephrases first questions too, not only follow-ups. ``extract``: True if it then also
    returns keywords and the time that is asked for. ``keep_original``: True if the hits of the original
    question stay beside those of the rephrased one. ``contact``: named to visitors where the pages have no
    answer. ``language``: of our own sentences where neither question nor pages show one.
    """

    purpose: Purpose = "answer"
    context: Context = "blocks"
    budget_tokens: int = 6_000
    answer_tokens: int = 1_000
    rephrase: bool = True
    extract: bool = False
    keep_original: bool = True
    rephrase_seconds: float = 8.0
    question_characters: int = 2_000
    contact: str = ""
    language: str = FALLBACK_LANGUAGE

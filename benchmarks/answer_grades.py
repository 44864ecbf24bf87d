"""Grades answers that a model wrote from what it read. Pure functions.

Programs without a verdict of their own refuse in words ("I don't know"), which are recognised in German and
English.
"""

import re
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any, Final

from app.features.evaluation.metrics import Score, Scores
from app.features.evaluation.pool import PoolQuestion
from app.features.evaluation.words import markdown_words, words

FIGURES: Final = {
    "right": "right",
    "partly": "partly",
    "wrong": "wrong",
    "refused": "refused, though a page answers",
    "honest": "refused or hedged, where none does",
    "invented": "figures that were not read, unmarked",
    "cited": "cited source holds the answer",
}
"""The figures of a way to answer, with their labels. Each is a share of the answerable questions, except
``honest`` (of absent questions), ``invented`` (of all answers) and ``cited`` (of right answers that cite)."""

_REFUSAL: Final = re.compile(
    r"\b(?:i|we) (?:do not|don['’]t|can(?:not|['’]t)) (?:know|answer|find)|\bno information\b"
    r"|\bnot (?:mentioned|specified|provided|stated|given|included|contain)"
    r"|\bdoes(?: not|n['’]t) (?:mention|contain|provide|specify|state)"
    r"|\bweiß (?:ich|es|das)\b.*\bnicht|\bich (?:weiß|kann|habe)\b.{0,60}\b(?:nicht|keine)\b"
    r"|\bkeine (?:angaben?|informationen?|auskunft)\b"
    r"|\bnicht (?:angegeben|erwähnt|genannt|enthalten|bekannt)\b",
    re.IGNORECASE,
)
_FIGURE: Final = re.compile(r"\d+(?:[.,:]\d+)*")


@dataclass(frozen=True, slots=True, kw_only=True)
class Answer:
    """The answer of one ``way`` to a question of a pool, named by its ``key``.

    ``text``: as visitors see it; ``read``: the text that the model read, and the pages quoted. ``refused``,
    ``hedged``: the way's own signal, ``None`` if it has none. ``marked``: sentences marked as unsupported.
    ``cited``: the texts of the cited sources. Tokens are counted over all requests for the answer;
    ``first_text`` and ``seconds`` from the question. ``failure``: the reason why there is no answer.
    """

    way: str
    key: str
    text: str
    read: str = ""
    refused: bool | None = None
    hedged: bool | None = None
    marked: tuple[str, ...] = ()
    cited: tuple[str, ...] = ()
    status: str = ""
    prompt_tokens: float = 0
    output_tokens: float = 0
    first_text: float | None = None
    seconds: float = 0.0
    failure: str = ""

    @property
    def is_refused(self) -> bool:
        """True if it says that it has no answer."""
        return bool(_REFUSAL.search(self.text)) if self.refused is None else self.refused


def grade(question: PoolQuestion, answer: Answer) -> Scores:
    """Score an answer by :data:`FIGURES`; figures that do not apply to the question are left out."""
    scores: dict[str, Score] = {"invented": Score(float(bool(invented(question, answer))))}
    if not question.gold:
        return scores | {"honest": Score(float(answer.is_refused or bool(answer.hedged)))}
    text = words(answer.text)
    is_right = question.is_in(text) and not answer.failure
    parts = [words(part) for parts in (question.must, *question.also) for part in parts]
    is_partly = not is_right and any(map(text.holds, parts))
    is_refused = not is_right and not is_partly and answer.is_refused
    scores |= {
        "right": Score(float(is_right)),
        "partly": Score(float(is_partly)),
        "refused": Score(float(is_refused)),
        "wrong": Score(float(not (is_right or is_partly or is_refused))),
    }
    if is_right and answer.cited:
        holds = any(any(markdown_words(source).holds(part) for part in parts) for source in answer.cited)
        scores["cited"] = Score(float(holds))
    return scores


def invented(question: PoolQuestion, answer: Answer) -> list[str]:
    """Return the numbers in unmarked sentences that are neither in the question nor in what was read."""
    known = set(_figures(answer.read)) | set(_figures(question.question)) | set(map(str, range(10)))
    text = answer.text
    for sentence in answer.marked:
        text = text.replace(sentence, " ")
    return [figure for figure in _figures(text) if figure not in known]


def answer_of(line: Mapping[str, Any]) -> Answer:
    """Return a stored answer from its JSON."""
    return Answer(**{**line, "marked": tuple(line["marked"]), "cited": tuple(line["cited"])})


def _figures(text: str) -> list[str]:
    return [re.sub(r"[.,:]", "", figure) for figure in _FIGURE.findall(text)]

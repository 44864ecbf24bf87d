"""The step of an answer that puts editors' pages first."""

from dataclasses import replace

from app.chat.answer_steps import AnswerState
from app.chat.decisions import Curated


class PinPages:
    """Puts the pages first that editors pinned, and adds their synonyms to the question for the model."""

    def __call__(self, state: AnswerState) -> tuple[()]:
        result, query = state.result, state.query
        retrieval, pins = state.search.with_pins(
            result.retrieval, state.decision.pins, sources=query.sources, language=query.question_language
        )
        asked = result.meant or query.question
        explained = state.search.explained(asked, query.question_language)
        meant = result.meant if explained == asked else explained
        state.found = replace(result, retrieval=retrieval, meant=meant)
        state.curated = Curated(kind="pin", entries=pins) if pins else None
        return ()

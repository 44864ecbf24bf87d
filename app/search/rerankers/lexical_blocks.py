"""A reranker without a model, by words and by the given order: the score of a text's best block as in
:mod:`app.search.blocks`, without its relevance.

It is always available. Texts in another language than the question share few stems with it and move down.
"""

from collections.abc import Sequence

from app.search.answer_kinds import asked_kinds
from app.search.blocks import RANK_WEIGHT, word_score
from app.search.coverage import QuestionWords
from app.search.languages import question_language
from app.search.page_blocks import parsed_blocks
from ingest.options import validate_options
from ingest.protocols import Recipe


class LexicalBlocksReranker:
    """Scores Markdown by the best block of each text: by the share of the question's word weight, counted
    over the blocks of all texts, and by the kind of answer asked for. Each text before it costs
    ``RANK_WEIGHT``, so that a text moves up by a few places at most."""

    @validate_options
    def __init__(self) -> None:
        self.recipe: Recipe = {"name": "lexical-blocks", "version": 1}

    def scores(self, question: str, texts: Sequence[str]) -> list[float]:
        """Return the score of each text."""
        language = question_language(question) or ""
        kinds = asked_kinds(question)
        parsed = [parsed_blocks(text, "content", "", language) for text in texts]
        found = [(language, block.words) for blocks in parsed for block in blocks]
        words = QuestionWords(question, language, found)
        best = (
            max((word_score(block, language, words, kinds) for block in blocks), default=0.0)
            for blocks in parsed
        )
        return [score - RANK_WEIGHT * place for place, score in enumerate(best)]

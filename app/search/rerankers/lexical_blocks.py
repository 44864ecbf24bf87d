"""Scores by words and by the order that there is, without a model: what :mod:`app.search.blocks` says of a
text's best block, but for its cosine.

Every installation has it. Texts in another language than the question share few stems with it and move down.
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
    """Scores Markdown: the share of the question's word weight in a text's best block, counted over the
    blocks of all the texts, and the kind of text that is asked for; ``RANK_WEIGHT`` less for each text before
    it, so that a text moves up by a few places at most."""

    @validate_options
    def __init__(self) -> None:
        self.recipe: Recipe = {"name": "lexical-blocks", "version": 1}

    def scores(self, question: str, texts: Sequence[str]) -> list[float]:
        """The score of each text."""
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

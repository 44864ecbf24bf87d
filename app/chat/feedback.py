"""Stores visitors' ratings: one for each answer, with an optional comment, kept as long as the answer."""

from typing import Final, Literal

from sqlalchemy import delete, insert, select

from app.chat.reactions import judge
from app.chat.redaction import redacted
from app.errors import NotFoundError
from app.pages.database import Store, writing
from app.pages.question_tables import answers, conversations, feedback

Rating = Literal["up", "down"]
COMMENT_CHARACTERS: Final = 1_000


class Feedback(Store):
    """The feedback in ``engine``."""

    def give(self, site: str, answer: str, rating: Rating, comment: str = "") -> None:
        """Store a rating in place of an earlier one of the same answer. The comment is :func:`redacted`.

        Raises ``NotFoundError`` for an answer that the site does not have, and ``PageStoreUnavailableError``.
        """
        # The conversation is locked, so that its deletion waits, and then deletes this feedback, too.
        known = (
            select(conversations.c.id)
            .join(answers, answers.c.conversation == conversations.c.id)
            .where(answers.c.id == answer, conversations.c.site == site)
            .with_for_update(of=conversations)
        )
        row = {"answer": answer, "rating": rating, "comment": redacted(comment), "given_at": self._clock()}
        with writing(self._engine) as connection:
            if connection.execute(known).first() is None:
                raise NotFoundError("there is no such answer")
            connection.execute(delete(feedback).where(feedback.c.answer == answer))
            connection.execute(insert(feedback).values(row))
            judge(connection, answer)

"""A question about a page of the town, in a group."""

from sqlalchemy import select

from app.features.questions.services import QuestionServices
from app.pages.tables import answers
from app.services import Services
from tests.app.features.foreign import ForeignEntries


def add(services: Services) -> ForeignEntries:
    """Group the question that was asked."""
    with services.engine.connect() as connection:
        answer = connection.execute(select(answers.c.id)).scalar_one()
    services.feature(QuestionServices).groups.keep({answer: (1, 0)}, 0)
    values = {"answer": answer}
    site, cited = {"site": "town"}, {"cited": "town/en/dog-tax"}
    return ForeignEntries(
        values={"console_questions": values, "questions": values},
        queries={
            "console_questions.page": (site, cited, {"group": 1}, {"text": "dog"}),
            "console_questions.export": (site, cited),
            "console_questions.groups": (site,),
            "questions.questions": (site, cited),
            "questions.counts": (site,),
            "questions.groups": (site,),
        },
    )

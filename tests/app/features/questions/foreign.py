"""A question about a page of the town, in a group."""

from sqlalchemy import select

from app import create_app
from app.features.questions.services import QuestionServices
from app.pages.question_tables import answers
from app.services import Services
from tests.app.features.foreign import ForeignEntries


def add(services: Services) -> ForeignEntries:
    """Ask it, unless somebody has, and group it."""
    answer = _asked(services) or _ask(services)
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


def _asked(services: Services) -> str:
    with services.engine.connect() as connection:
        return connection.execute(select(answers.c.id)).scalars().first() or ""


def _ask(services: Services) -> str:
    client = create_app(services=services).test_client()
    client.post("/api/chat?site=town", json={"question": "How much is the dog tax?"}).get_data()
    return _asked(services)

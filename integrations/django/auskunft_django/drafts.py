"""*Check my draft*: what a text would answer and contradict if it were published."""

from typing import Any

from django.utils.translation import gettext as _

from auskunft_django import client, config


def is_possible() -> bool:
    """Tell whether the settings say where to ask."""
    try:
        return config.load() is not None
    except config.ConfigError:  # of which the checks tell
        return False


def report(question: str, *, page: str, language: str, title: str, html: str) -> dict[str, Any]:
    """Return what the template ``auskunft_django/draft.html`` shows of a draft.

    ``question``: the only one that is asked, in place of visitors'; ``page``: the id of the page that the
    draft replaces, empty for a new one; ``language``: as in events.
    """
    question = question.strip()
    draft = {"id": page, "language": language, "title": title, "html": html, "question": question}
    try:
        found = config.load()
        if found is None:
            raise config.ConfigError(_("AUSKUNFT is not set in the settings"))
        return {"question": question, **client.ask(found, draft)}
    except (client.AwayError, config.ConfigError) as error:
        return {"problem": str(error)}

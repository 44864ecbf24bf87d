"""The sample site that ships with the package: the pages of an invented town, German and English.

``site()`` is a folder the source ``files`` can read as it is; ``question_pool()`` measures search on it.
"""

from importlib.resources import files
from pathlib import Path

QUESTIONS: tuple[str, ...] = (
    "Was kostet ein neuer Personalausweis und was muss ich dafür mitbringen?",
    "How do I register my address after moving to Otterfurt?",
    "Wie viel Kita-Beitrag zahlen wir, wenn zwei Geschwister gleichzeitig in die Kita gehen?",
)
"""The questions of the demo: one in German, one in English, one answered far down in a long page."""

EXAMPLES: tuple[str, ...] = (
    "Was kostet ein neuer Personalausweis?",
    "Wann ist das Waldbad geöffnet?",
    "Wie melde ich Sperrmüll an?",
    "How do I register my address?",
    "How much does childcare cost?",
    "When is the outdoor pool open?",
)
"""The example questions of the chat on the town's website, German and English."""

SITE_KEY = "demo"
"""The key of the town's website in the settings."""

TOWN_PATH = "otterfurt/"
"""The path of the town's website on the server."""


def site() -> Path:
    """Return the folder with the pages: ``de/`` and ``en/``, in HTML, Markdown and plain text."""
    return _folder() / "site"


def question_pool() -> Path:
    """Return the file of questions, JSON Lines; ``gold`` lists page ids, which are paths in ``site()``."""
    return _folder() / "questions.jsonl"


def _folder() -> Path:
    return Path(str(files(__name__)))

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
"""What the demo asks: one in German, one in English, one whose answer lies deep in a long page."""

EXAMPLES: tuple[str, ...] = (
    "Was kostet ein neuer Personalausweis?",
    "Wann ist das Waldbad geöffnet?",
    "How do I register my address?",
)
"""What the chat on the town's website suggests to ask."""

SITE_KEY = "demo"
"""The town's website among those whose visitors may ask."""

TOWN_PATH = "otterfurt/"
"""Where below the server's address the town's website is."""


def site() -> Path:
    """The folder with the pages: ``de/`` and ``en/``, in HTML, Markdown and plain text."""
    return _folder() / "site"


def question_pool() -> Path:
    """Questions as JSON lines; ``gold`` holds page ids, which are paths relative to ``site()``."""
    return _folder() / "questions.jsonl"


def _folder() -> Path:
    return Path(str(files(__name__)))

"""Opening hours are shown only to visitors who ask about the thing that has them."""

from typing import Final

import pytest

from app.features.facts.hours_step import asked_hours
from app.features.facts.hours_thing import is_of_thing
from app.search.blocks import ranked_blocks
from app.search.types import IndexedPage
from tests.app.chat.pages import hit, page

HARBOUR: Final = page(
    "harbour",
    title="Visiting the harbour",
    content="""# Visiting the harbour

The harbour has ships, a chandlery and a view.

## Boat office

You find us on pier 2. We are open on Tuesdays from 9 am to 5 pm. We sell ferry tickets.

## Sights

* **Lighthouse:** 90 steps
* **Ship museum in the old dock:** Friday to Sunday, 11 am to 5 pm
""",
)
POOL: Final = page(
    "pool",
    language="de",
    title="Waldbad",
    content="""# Waldbad

Das Waldbad ist ein beheiztes Freibad mit Sprungturm und Kiosk.

## Öffnungszeiten

* Dienstag: 9 bis 19 Uhr

## Preise

Ein Strandkorb kostet 5 Euro. In der Sporthalle gilt die Karte auch.
""",
)
ARCHIVE: Final = page(
    "archive",
    title="Public records",
    content="# Public records\n\n## Opening hours\n\n* Tuesday: 9 am to 5 pm\n\n"
    "## Contact\n\nStadtarchiv, Marktplatz 1, 00815 Otterfurt\n\n## Events\n\nThe Bootshaus has concerts.\n",
)


def is_shown(question: str, language: str, found: IndexedPage) -> bool:
    """Return True if the first hours of the page pass for those of the question's thing."""
    blocks = ranked_blocks("opening hours", "opening hours", "en", [hit(found)], 9)
    hours = [each for block in blocks for each in asked_hours(question, language, block)]
    return bool(hours) and is_of_thing(question, language, found, hours[0])


@pytest.mark.parametrize(
    ("question", "language", "found", "shown"),
    [
        ("When is the boat office open on Tuesday?", "en", HARBOUR, True),
        ("When is the boat office open for tickets?", "en", HARBOUR, True),
        ("Is the pier open on Tuesday?", "en", HARBOUR, True),
        ("When is the museum open on Tuesday?", "en", HARBOUR, False),
        ("Is the lighthouse open on Tuesday?", "en", HARBOUR, False),
        ("When is the chandlery at the harbour open?", "en", HARBOUR, False),
        ("Is the ferry office open on Tuesday?", "en", HARBOUR, False),
        ("Wann hat das Waldbad am Dienstag offen?", "de", POOL, True),
        ("Wann hat das Freibad offen?", "de", POOL, True),
        ("Wann kann ich den Strandkorb nutzen, wann ist offen?", "de", POOL, True),
        ("Wann hat das Bad in der Sporthalle offen?", "de", POOL, True),
        ("Wann hat die Sporthalle am Dienstag offen?", "de", POOL, False),
        ("Wann hat der Kiosk im Waldbad offen?", "de", POOL, False),
        ("Wann hat das Stadtarchiv offen?", "de", ARCHIVE, True),
        ("Wann hat das Bootshaus offen?", "de", ARCHIVE, False),
    ],
)
def test_a_word_elsewhere_on_the_page_does_not_make_the_hours_those_of_another_thing(
    question: str, language: str, found: IndexedPage, shown: bool
) -> None:
    assert is_shown(question, language, found) == shown

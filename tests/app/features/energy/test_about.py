"""The energy of answers on pages without scripts: of the answer, and how it is known."""

from collections.abc import Callable, Iterator
from contextlib import ExitStack
from pathlib import Path
from typing import Any

import pytest
from flask.testing import FlaskClient

from app import create_app
from app.settings.energy import EnergySettings
from app.settings.settings import Settings
from tests.app.features.energy.counted import installation
from tests.app.web.browser import soup
from tests.app.web.test_about import facts, page_of

Start = Callable[..., FlaskClient]


@pytest.fixture
def start(
    site_settings: Settings, indexed_site: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> Iterator[Start]:
    """A client of an installation."""
    with ExitStack() as stack:

        def started(**changes: Any) -> FlaskClient:
            made = installation(site_settings, indexed_site, tmp_path, monkeypatch, **changes)
            return create_app(services=stack.enter_context(made)).test_client()

        yield started


@pytest.mark.parametrize(
    ("site", "changes", "sentence"),
    [
        ("town", {}, "Measured by the hardware's counters"),
        ("town", {"has_counters": False}, "It is not known here"),
        ("plain", {}, "It is not known here"),
        (
            "town",
            {"has_counters": False, "energy": EnergySettings(watts=50, pue=1.16)},
            "Estimated, because part",
        ),
        ("town", {"has_counters": False, "energy": EnergySettings(watts=50, pue=1.16)}, "multiplied by 1.16"),
    ],
)
def test_it_says_how_the_energy_is_known(
    start: Start, site: str, changes: dict[str, Any], sentence: str
) -> None:
    assert sentence in facts(page_of(start(**changes), site))["Energy of an answer"]


def test_an_answer_without_scripts_has_its_energy_in_a_line(start: Start) -> None:
    client = start()
    page = soup(client.post("/chat?site=town&lang=en", data={"q": "How much is the dog tax in euros?"}))
    assert [note for note in page.select(".notes li") if "Wh (measured)" in note.get_text()]


def test_the_energy_of_each_part_is_shown_on_a_click_without_scripts(start: Start) -> None:
    client = start()
    page = soup(client.post("/chat?site=town&lang=de", data={"q": "Was kostet die Hundesteuer?"}))
    (details,) = page.select(".notes details:not([open])")
    assert details.select_one("summary").get_text().startswith("Energie: ")  # type: ignore[union-attr]
    assert [part.get_text().split(":")[0] for part in details.select("li")] == [
        "Arbeitsspeicher",
    ]

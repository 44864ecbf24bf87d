"""``auskunft index`` and ``auskunft pull`` for acts of EU law, as people run them."""

from collections.abc import Iterator
from datetime import date
from pathlib import Path

import pytest

from tests.fakes.command import Command
from tests.fakes.eurlex import CHALLENGE, Answer, FakeEurlex, consolidated_text, oj_text, shell
from tests.fakes.installation import find, rows

OJ = oj_text(1, "Lamps are lit.", "Keepers sleep by day.", recitals=("Ships need light.",))
NEW = consolidated_text(1, "27.07.2026", "Lamps are lit at dusk.")

LONG = [f"Lamp number {number} is lit." for number in range(1, 41)]


@pytest.fixture
def eurlex() -> Iterator[FakeEurlex]:
    with FakeEurlex() as eurlex:
        eurlex.texts["32024R0001", "eng"] = OJ
        eurlex.texts["02024R0001-20260727", "eng"] = NEW
        yield eurlex


@pytest.fixture
def law(eurlex: FakeEurlex, tmp_path: Path) -> Command:
    """An installation whose settings name the server."""
    options = eurlex.options(kind="eurlex", acts=["32024R0001"], languages=["en"], text="newest")
    lines = [f"{name} = {value!r}" for name, value in options.items()]
    text = "\n".join(['fetch_allow = ["127.0.0.1"]', "[sources.law]", *lines])
    (tmp_path / "auskunft.toml").write_text(text, "utf-8")
    return Command(tmp_path)


def summary(command: Command, *arguments: str, code: int = 0) -> str:
    """The first line of a run, without the time."""
    result = command.run(*arguments)
    assert (result.code, result.err) == (code, ""), result
    return result.out.splitlines()[0].partition(" in ")[0]


def found(command: Command, word: str) -> list[str]:
    [ids] = find(command.data, [word])
    return ids


def live(command: Command) -> set[str]:
    return {row.ref.id for row in rows(command.data) if row.state != "deleted"}


def test_a_folder_of_acts_is_indexed_by_the_plugin_that_the_source_is_named_as(tmp_path: Path) -> None:
    command = Command(tmp_path)
    (tmp_path / "acts").mkdir()
    text = tmp_path / "acts" / "32024R0001_2024-06-13_en.xhtml"
    text.write_text(OJ, "utf-8")
    (tmp_path / "acts" / "32024R0002_2024-06-13_en.html").write_bytes(shell("HTML format unavailable"))
    index = ("index", "acts", "--source", "eurlex")
    assert summary(command, *index, code=1) == "4 indexed, 0 unchanged, 1 failed"
    assert found(command, "Keepers") == ["32024R0001@2024-06-13/art_2"]
    text.write_text(oj_text(1, "Lamps are electric.", recitals=("Ships need light.",)), "utf-8")
    assert summary(command, *index, code=1).endswith("2 unchanged, 1 failed")
    assert live(command) == {f"32024R0001@2024-06-13/{unit}" for unit in ("rct_1", "art_1", "act")}
    text.unlink()
    assert summary(command, *index, "--prune", code=1) == "0 indexed, 0 unchanged, 3 deleted, 1 failed"


def test_a_folder_is_read_as_the_kind_of_its_source_says(law: Command) -> None:
    (law.folder / "acts").mkdir()
    (law.folder / "acts" / "32024R0001_2024-06-13_fr.html").write_text(OJ, "utf-8")
    result = law.run("index", "acts", "--source", "law")
    assert (
        "32024R0001@2024-06-13/fr: failed(unsupported): in language 'fr': the source reads only en"
        in result.out
    )
    assert summary(law, "index", "acts", "--source", "other") == "1 indexed, 0 unchanged, 0 failed"


def test_acts_are_fetched_by_their_celex_numbers(law: Command, eurlex: FakeEurlex) -> None:
    index = ("index", "eurlex:32024R0001,32024R0009", "--source", "law", "--language", "en")
    result = law.run(*index)
    assert (result.code, result.out.splitlines()[0].partition(" in ")[0]) == (
        1,
        "6 indexed, 0 unchanged, 1 failed",
    )
    assert (
        "32024R0009/en: failed(invalid): 32024R0009 (en): there is no such text: check the CELEX"
        in result.out
    )
    assert found(law, "dusk") == ["32024R0001@2026-07-27/art_1"]
    eurlex.wrong["32024R0001"] = [Answer(status=202, body=CHALLENGE)]
    result = law.run("index", "eurlex:32024R0001", "--source", "law", "--prune")
    assert result.out.startswith("0 indexed, 2 unchanged, 1 waiting, 0 failed")
    assert "32024R0001/en: waiting: 32024R0001 (en): the site asks for a browser" in result.out
    assert "nothing pruned, because documents could not be read: 1" in result.out
    assert len(live(law)) == 6


def test_a_wrong_celex_number_is_refused(law: Command) -> None:
    complaint = law.run("index", "eurlex:2024/1689", "--source", "law").complaint(2)
    assert "'2024/1689' is not a CELEX number" in complaint
    complaint = law.run("index", "eurlex:32024R0001", "--language", "tlh").complaint(2)
    assert "language 'tlh': use one of bg, cs" in complaint


def test_a_pull_fetches_what_changed_and_keeps_the_last_good_text(law: Command, eurlex: FakeEurlex) -> None:
    assert summary(law, "pull", "law") == "2 listed: 6 changed, 0 unchanged, 0 failed"
    assert summary(law, "pull", "law") == "2 listed: 0 changed, 2 unchanged, 0 failed"
    assert eurlex.whole == ["32024R0001", "02024R0001-20260727"]

    eurlex.wrong["32024R0001"] = [Answer(status=202, body=CHALLENGE)]
    eurlex.wrong["02024R0001-20260727"] = [Answer(status=404)]
    result = law.run("pull", "law")
    assert (result.code, result.out.partition(" in ")[0]) == (
        1,
        "2 listed: 0 changed, 0 unchanged, 1 waiting, 1 failed",
    )
    assert "32024R0001 (en): waiting: 32024R0001 (en): the site asks for a browser" in result.out
    assert len(live(law)) == 6
    assert found(law, "dusk") == ["32024R0001@2026-07-27/art_1"]

    eurlex.wrong = {}
    eurlex.texts["32024R0001", "eng"] = oj_text(1, "Lamps are electric.", recitals=("Ships need light.",))
    assert summary(law, "pull", "law") == "2 listed: 1 changed, 1 unchanged, 1 deleted, 0 failed"
    assert "32024R0001@2024-06-13/art_2" not in live(law)
    [row] = law.run("sources", "--json").json()
    assert (row["kind"], row["problem"]) == ("eurlex", "")


def test_a_text_with_far_fewer_units_replaces_none_until_that_is_confirmed(
    law: Command, eurlex: FakeEurlex
) -> None:
    eurlex.texts["32024R0001", "eng"] = oj_text(1, *LONG)
    assert summary(law, "pull", "law") == "2 listed: 43 changed, 0 unchanged, 0 failed"
    eurlex.texts["32024R0001", "eng"] = oj_text(1, *LONG[:10])
    eurlex.texts["02024R0001-20260727", "eng"] = NEW.replace("dusk", "dawn")
    for _ in range(2):
        result = law.run("pull", "law")
        assert result.code == 1
        assert (
            "32024R0001 (en): failed(invalid): 30 of 41 pages of document '32024R0001@2024-06-13/en' are "
            "missing: nothing was deleted. If they are to go, run `auskunft pull law --confirm-deletions`\n"
        ) in result.out
    assert len(live(law)) == 43
    assert found(law, "dawn") == ["32024R0001@2026-07-27/art_1"]
    assert summary(law, "pull", "law", "--confirm-deletions") == (
        "2 listed: 0 changed, 1 unchanged, 30 deleted, 0 failed"
    )
    assert summary(law, "pull", "law") == "2 listed: 0 changed, 2 unchanged, 0 failed"


def test_a_file_with_far_fewer_units_replaces_none_until_that_is_confirmed(tmp_path: Path) -> None:
    command = Command(tmp_path)
    (tmp_path / "acts").mkdir()
    text = tmp_path / "acts" / "32024R0001_2024-06-13_en.xhtml"
    text.write_text(oj_text(1, *LONG), "utf-8")
    index = ("index", "acts", "--source", "eurlex")
    assert summary(command, *index) == "41 indexed, 0 unchanged, 0 failed"
    text.write_text(oj_text(1, *LONG[:10]), "utf-8")
    result = command.run(*index)
    assert (result.code, len(live(command))) == (1, 41)
    assert "30 of 41 pages of document '32024R0001@2024-06-13/en' are missing: nothing" in result.out
    assert "run `auskunft index acts --source eurlex --confirm-deletions`\n" in result.out
    assert summary(command, *index, "--confirm-deletions").startswith("0 indexed, 11 unchanged")
    assert len(live(command)) == 11


def test_forgotten_texts_are_fetched_again(law: Command, eurlex: FakeEurlex) -> None:
    summary(law, "pull", "law")
    law.run("sources", "reset-revisions", "law")
    assert summary(law, "pull", "law") == "2 listed: 0 changed, 2 unchanged, 0 failed"
    assert len(eurlex.whole) == 4


def test_a_question_about_a_day_is_answered_from_the_text_of_that_day(tmp_path: Path) -> None:
    command = Command(tmp_path)
    (tmp_path / "acts").mkdir()
    (tmp_path / "acts" / "32024R0001_2024-06-13_en.xhtml").write_text(OJ, "utf-8")
    (tmp_path / "acts" / "32024R0001_2026-07-27_en.html").write_text(NEW, "utf-8")
    assert summary(command, "index", "acts", "--source", "eurlex") == "6 indexed, 0 unchanged, 0 failed"
    asked = ("ask", "When are the lamps lit?")
    now, then = command.run(*asked).out, command.run(*asked, "--at", "2025-01-01").out
    assert "Lamps are lit at dusk." in now
    assert "has not applied" not in now
    assert "CELEX:02024R0001-20260727#art_1 (text of 2026-07-27)\n" in now
    assert f"(The law as of {date.today()}.)" in now
    assert "Lamps are lit." in then
    assert "dusk" not in then
    assert "(has not applied since 2026-07-27)" in then
    assert "(The law as of 2025-01-01.)" in then
    searched = command.run("search", asked[1], "--at", "2025-01-01").out
    assert "(has not applied since 2026-07-27)" in searched
    assert "(The law as of 2025-01-01.)" in searched
    assert command.run(*asked, "--at", "2025-01-01", "--json").json()["time"] == {"in_force_on": "2025-01-01"}
    before = command.run(*asked, "--at", "2020-01-01").out
    assert before.startswith("On 2020-01-01 Regulation (EU) 2024/1 (32024R0001) did not apply yet")
    assert "not answer" not in before
    assert "is not a day" in command.run(*asked, "--at", "tomorrow").complaint(2)


def test_acts_of_a_subject_are_pulled_and_stay_whatever_becomes_of_the_list(
    eurlex: FakeEurlex, tmp_path: Path
) -> None:
    options = eurlex.options(kind="eurlex", eurovoc="5181", text="oj")
    lines = [f"{name} = {value!r}" for name, value in options.items()]
    text = "\n".join(['fetch_allow = ["127.0.0.1"]', "fetch_seconds = 1", "[sources.law]", *lines])
    (tmp_path / "auskunft.toml").write_text(text, "utf-8")
    law = Command(tmp_path)
    eurlex.texts["32024R0002", "eng"] = oj_text(2, "Boats are counted.")
    eurlex.subjects["5181"] = ["32024R0001"]
    assert summary(law, "pull", "law").startswith("1 listed: 4 changed")
    eurlex.subjects["5181"] = ["32024R0002"]
    assert summary(law, "pull", "law").startswith("1 listed: 2 changed")
    eurlex.subjects["5181"] = []
    assert "no acts found for the subject" in law.run("pull", "law").complaint(2)
    eurlex.wrong["sparql"] = [Answer(status=500)]
    assert "HTTP 500" in law.run("pull", "law").complaint(1)
    assert (found(law, "Keepers"), found(law, "Boats")) == (
        ["32024R0001@2024-06-13/art_2"],
        ["32024R0002@2024-06-13/art_1"],
    )

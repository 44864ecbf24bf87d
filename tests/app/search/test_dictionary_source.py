"""The dictionary that comes with the package is reduced from a larger one."""

import lzma
from importlib.resources import files
from pathlib import Path

import pytest

from app.search.dictionary_source import main, translations

LINES = """# Version :: devel
Reisepass {m}; Pass {m} [adm.] | Reisepässe {pl} :: passport | passports
zahlen {vt}; bezahlen {vt} | zahlend; bezahlend :: to pay {paid; paid} (for sth.) | paying
Hund {m} [zool.] | Hunde {pl} | den Hund ausführen :: dog | dogs | to walk the dog
Bandhaken {m}; Klammhaken {m}; Schlepphaken {m} (zum Ziehen) [techn.] :: dog; hook
Hundeleine {f} :: dog lead
sich (bei einer Behörde) melden {vr} :: to register
ohne Übersetzung
"""


def test_words_have_their_translations_the_usual_ones_first() -> None:
    german, english = translations(LINES.splitlines())
    assert german["Reisepass"] == ["passport"]
    assert english["passport"] == ["Pass", "Reisepass"]
    assert english["pay"] == ["bezahlen", "zahlen"]
    assert english["dog"][0] == "Hund"
    assert english["register"] == ["melden"]


def test_phrases_and_remarks_are_left_out() -> None:
    german, english = translations(LINES.splitlines())
    assert "Hundeleine" not in german
    assert not any(set(word) & set("{}[]();| ") for word in (*german, *english))


def test_both_directions_are_written(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    source = tmp_path / "de-en"
    source.write_text(LINES, "utf-8")
    monkeypatch.setattr("sys.argv", ["dictionary_source", str(source), str(tmp_path)])

    main()

    english = lzma.decompress((tmp_path / "en-de.txt.xz").read_bytes()).decode().splitlines()
    assert "passport|Pass|Reisepass" in english
    assert "Hund|dog" in lzma.decompress((tmp_path / "de-en.txt.xz").read_bytes()).decode().splitlines()


@pytest.mark.parametrize("name", ["de-en", "en-de"])
def test_what_ships_is_in_order_and_small(name: str) -> None:
    data = files("app.search").joinpath("dictionaries", f"{name}.txt.xz").read_bytes()
    lines = lzma.decompress(data).decode().split("\n")

    assert len(data) < 1_100_000
    assert lines == sorted(set(lines))
    assert all(2 <= len(line.split("|")) <= 5 for line in lines)


def test_the_dictionary_ships_with_its_licence() -> None:
    folder = files("app.search").joinpath("dictionaries")
    notice = folder.joinpath("NOTICE.txt").read_text("utf-8")

    for path in folder.iterdir():
        assert path.name == "NOTICE.txt" or path.name in notice

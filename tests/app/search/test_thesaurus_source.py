"""A word processor's thesaurus is reduced to what a search needs."""

import lzma
from importlib.resources import files
from pathlib import Path

import pytest

from app.search.thesaurus_source import main, reduced

GERMAN = """\
UTF-8
perso|1
-|Lichtbildausweis|Personalausweis|Perso (ugs.)|Ausweis (Oberbegriff)|Papiere (ugs.) (Oberbegriff)
personalausweis|1
-|Lichtbildausweis|Personalausweis|Perso (ugs.)|Papiere (ugs.) (Oberbegriff)|Ausweis (Oberbegriff)
lappen|2
-|Geldschein|Note|Lappen (derb)
-|Lappen (ugs.)|Pappe (ugs.)|Urkunde (Oberbegriff)
zahlen|1
-|entrichten|bluten (fig.)|(Schaden) regulieren|(sich) aus der Affäre ziehen|zahlen|... zahlen
"""
ENGLISH = """\
ISO8859-1
rubbish|2
(noun)|trash|scrap|waste (generic term)|treasure (antonym)
(adj)|useless (similar term)
trash|1
(noun)|rubbish|scrap|waste (generic term)
"""


def test_a_meaning_stands_once_with_spoken_and_wider_words_marked() -> None:
    assert "|Lichtbildausweis|Personalausweis|~Perso|>Ausweis|" in reduced(GERMAN.splitlines())
    assert len(reduced(GERMAN.splitlines())) == 3


def test_swear_words_figures_of_speech_remarks_and_long_phrases_are_left_out() -> None:
    assert "|Geldschein|Note|" in reduced(GERMAN.splitlines())
    assert "|entrichten|regulieren|zahlen|" in reduced(GERMAN.splitlines())


def test_a_word_that_wordnet_leaves_out_of_its_own_meanings_is_put_into_them() -> None:
    assert reduced(ENGLISH.splitlines()) == ["|trash|scrap|rubbish|>waste|"]


def test_the_file_is_read_in_the_encoding_that_it_names(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    source, target = tmp_path / "th.dat", tmp_path / "de.txt.xz"
    source.write_bytes("ISO8859-1\nkita|1\n-|Kita|Kindertagesstätte\n".encode("latin-1"))
    monkeypatch.setattr("sys.argv", ["thesaurus_source", str(source), str(target)])

    main()

    assert lzma.decompress(target.read_bytes()).decode() == "|Kita|Kindertagesstätte|"


@pytest.mark.parametrize("language", ["de", "en"])
def test_what_ships_is_in_order_and_small(language: str) -> None:
    data = files("app.search").joinpath("thesauri", f"{language}.txt.xz").read_bytes()
    lines = lzma.decompress(data).decode().split("\n")

    assert len(data) < 750_000
    assert lines == sorted(set(lines))
    assert all(line.startswith("|") and line.endswith("|") for line in lines)


def test_each_thesaurus_ships_with_its_licence() -> None:
    notice = files("app.search").joinpath("thesauri", "NOTICE.txt").read_text("utf-8")

    for path in files("app.search").joinpath("thesauri").iterdir():
        assert path.name == "NOTICE.txt" or path.name in notice

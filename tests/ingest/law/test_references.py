"""What references to law are recognised: forms in three languages, hostile text, a hand-labelled sample."""

import csv
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Final

import pytest
from hypothesis import given
from hypothesis import strategies as st

from ingest.law.references import MAX_REFERENCES, Reference, references
from tests.ingest.law.visible import visible_text
from tests.shared import LAW, needs

ACT: Final = "32024R1689"
HERE: Final = "art_99"
LABELS: Final = Path(__file__).with_name("references.tsv")

ENGLISH: Final = {
    "under Article 6(2)": "art_6",
    "under Article 6 (2) (b)": "art_6",
    "Articles 8 to 11": "art_8 art_9 art_10 art_11",
    "Articles 5, 6 and 9": "art_5 art_6 art_9",
    "Articles 6(1) and (3), 7 and 9(2), point (a)": "art_6 art_7 art_9",
    "point (a) of Article 7(1)": "art_7",
    "the first subparagraph of Article 7(1)": "art_7",
    "Articles 12a to 12d": "art_12a art_12b art_12c art_12d",
    "points (a) to (d) of paragraph 1": HERE,
    "paragraph 2 of this Article": HERE,
    "Article 3; see paragraph 2 of that Article": "art_3 art_3",
    "listed in Annex III": "anx_III",
    "Annexes I and II": "anx_I anx_II",
    "Annexes VIII to XI": "anx_VIII anx_IX anx_X anx_XI",
    "Section A of Annex IIa": "anx_IIa",
    "Annex IA": "anx_Ia",
    "Annexes I, XIIB and XIIC": "anx_I anx_XIIb anx_XIIc",
    "Article 5 BIS": "art_5a",
    "the Annex to this Regulation": "anx",
    "recital 53": "rct_53",
    "recitals (10) to (12)": "rct_10 rct_11 rct_12",
    "Article 5 of this Regulation": "art_5",
    "Article 5 of Regulation (EU) 2016/679": "32016R0679/art_5",
    "Articles 5 and 6 of Council Directive 93/13/EEC": "31993L0013/art_5 31993L0013/art_6",
    "Regulation (EU) 2016/679, and Article 6(1) of that Regulation": "32016R0679 32016R0679/art_6",
    "Article 4 of Directive 95/46/EC and Article 7 thereof": "31995L0046/art_4 31995L0046/art_7",
    "Article 2, point (8), of Directive 2009/73/EC": "32009L0073/art_2",
    "Article 7 of Regulations (EU) No 1093/2010 and (EU) No 1095/2010": "32010R1093/art_7 32010R1095/art_7",
    "Annexes I and II to Directive 2009/28/EC": "32009L0028/anx_I 32009L0028/anx_II",
    "Chapter V of Regulation (EU) 2016/679": "32016R0679",
    "Council Regulation (EEC) No 3976/87": "31987R3976",
    "Regulation (EC) No 1310/97": "31997R1310",
    "Regulation (EU) No 1095/2010": "32010R1095",
    "Regulation (EU, Euratom) 2018/1046": "32018R1046",
    "Regulation No 19/65/EEC": "31965R0019",
    "Article 11 of Regulation No 17": "31962R0017/art_11",
    "Decision No 1639/2006/EC": "32006D1639",
    "Decision 1999/468/EC": "31999D0468",
    "Council Framework Decision 2008/977/JHA": "32008F0977",
    "Directives 94/22/EC, (EU) 2015/652 (4) and 2013/30/EU": "31994L0022 32015L0652 32013L0030",
    "Recommendation 2003/361/EC": "32003H0361",
    "Article 114 TFEU": "12016E114/art_114",
    "Articles 101 and 102 TFEU": "12016E101/art_101 12016E102/art_102",
    "Article 294 of the Treaty on the Functioning of the European Union": "12016E294/art_294",
    "Article 5(3) of the Treaty on European Union": "12016M005/art_5",
    "Article 8 of the Charter of Fundamental Rights of the European Union": "12016P008/art_8",
    "the Treaty, and in particular Article 114 thereof": "12016E114/art_114",
    "Article 21 of the Vienna Convention": "",
    "Article 3 of Protocol No 21 on the position of Ireland": "",
    "Article 2 of the Act of Accession": "",
    "Decision No 1/95 of the Association Council": "",
    "articles of clothing, the annexes and 12 paragraphs": "",
}
FRENCH: Final = {
    "l'article 6, paragraphe 2": "art_6",
    "l’article 6 paragraphe 1 point a) deuxième alinéa": "art_6",
    "les articles 8 à 10": "art_8 art_9 art_10",
    "aux articles 6, paragraphe 1, et 9, paragraphe 2": "art_6 art_9",
    "au point a) de l'article 7": "art_7",
    "l’article 2, point 4), du règlement (UE) no 1025/2012": "32012R1025/art_2",
    "à l'annexe III": "anx_III",
    "les annexes I et II": "anx_I anx_II",
    "le considérant 53": "rct_53",
    "considérant que deux États": "",
    "l'article premier": "art_1",
    "l'article 9 octodecies": "art_9q",
    "l'article 7 bis": "art_7a",
    "à l'article 28 ter, titre B, et à l'article 28 duodecies": "art_28b art_28k",
    "l'annexe II bis": "anx_IIa",
    "l'annexe II BIS": "anx_IIa",
    "l'article 7 TER": "art_7b",
    "paragraphe 1, point b), du présent article": HERE,
    "l'article 6, paragraphe 2, du règlement (UE) 2016/679": "32016R0679/art_6",
    "directive 95/46/CE": "31995L0046",
    "le règlement (CE) no 45/2001": "32001R0045",
    "règlement délégué (UE) 2018/389": "32018R0389",
    "décision-cadre 2008/977/JAI": "32008F0977",
    "l'article 27 de la directive 2003/87/CE et l'article 3 de ladite directive": (
        "32003L0087/art_27 32003L0087/art_3"
    ),
    "l'article 5 de la décision 1999/468/CE, dans le respect de l'article 8 de celle-ci": (
        "31999D0468/art_5 31999D0468/art_8"
    ),
    "vu le traité sur l'Union européenne, et notamment son article 16": "12016M016/art_16",
    "l'article 53 paragraphe 1 de l'accord EEE": "",
}
GERMAN: Final = {
    "gemäß Artikel 6 Absatz 2": "art_6",
    "Art. 6 Abs. 2": "art_6",
    "Artikel 8 bis 10": "art_8 art_9 art_10",
    "den Artikeln 5, 6 und 9": "art_5 art_6 art_9",
    "Artikel 5 Absatz 1 Unterabsatz 2 Buchstaben a bis d": "art_5",
    "Anhang III": "anx_III",
    "den Anhängen I und II": "anx_I anx_II",
    "Erwägungsgrund 53": "rct_53",
    "die Erwägungsgründe 10 bis 12": "rct_10 rct_11 rct_12",
    "Absatz 1 dieses Artikels": HERE,
    "Artikel 3 dieser Verordnung": "art_3",
    "Artikel 5 der Verordnung (EU) 2016/679": "32016R0679/art_5",
    "Richtlinie 95/46/EG": "31995L0046",
    "Verordnung (EU) Nr. 1095/2010": "32010R1095",
    "Rahmenbeschluss 2008/977/JI": "32008F0977",
    "Artikel 4 der Richtlinie 2009/73/EG; Artikel 5 der genannten Richtlinie": (
        "32009L0073/art_4 32009L0073/art_5"
    ),
    "Artikel 114 AEUV": "12016E114/art_114",
    "gestützt auf den Vertrag über die Arbeitsweise der Europäischen Union, insbesondere auf Artikel 114": (
        "12016E114/art_114"
    ),
    "Artikel 3 des Übereinkommens": "",
}


def targets(text: str, language: str, act: str = ACT) -> str:
    found = references(text, celex=act, unit=HERE, language=language)
    return " ".join(f"{found.celex}/{found.unit}".rstrip("/").removeprefix(f"{act}/") for found in found)


@pytest.mark.parametrize(("text", "expected"), ENGLISH.items())
def test_english_forms(text: str, expected: str) -> None:
    assert targets(text, "en") == expected


@pytest.mark.parametrize(("text", "expected"), FRENCH.items())
def test_french_forms(text: str, expected: str) -> None:
    assert targets(text, "fr") == expected


@pytest.mark.parametrize(("text", "expected"), GERMAN.items())
def test_german_forms(text: str, expected: str) -> None:
    assert targets(text, "de") == expected


def test_a_place_is_that_of_the_unit_without_what_it_is_a_part_of() -> None:
    text = "see point (a) of Article 7(1), or Articles 9 and 12(2)"
    found = references(text, celex=ACT, language="en")
    assert [text[one.start : one.end] for one in found] == ["Article 7(1)", "Articles 9", "12(2)"]


def test_a_paragraph_is_left_out_where_the_unit_is_not_known() -> None:
    assert references("paragraph 1", celex=ACT, language="en") == ()


def test_the_treaty_is_the_one_of_the_acts_time() -> None:
    text = "the Treaty, and in particular Article 100a thereof"
    assert targets(text, "en", "31987R3976") == "11957E100A/art_100a"
    assert targets(text, "en", "31995L0046") == "11992E100A/art_100a"
    assert targets(text, "en", "32001R0045") == "11997E100A/art_100a"
    assert targets("Article 85(3) of the Treaty. Article 85(3)", "en", "31965R0019") == (
        "11957E085/art_85 11957E085/art_85"
    )


def test_an_article_of_a_treaty_refers_to_its_own_version() -> None:
    assert targets("the procedure of Article 251", "en", "12002E141") == "12002E251/art_251"


def test_a_corrigendum_refers_to_the_act_that_it_corrects() -> None:
    assert targets("On page 82, Article 2", "en", "32018L2001R(04)") == "32018L2001/art_2"


def test_articles_of_an_amending_text_are_those_of_the_amended_act() -> None:
    text = (
        "Directive 98/70/EC is amended as follows:\n\n(1) Article 7a is amended: paragraph 2 is deleted;\n\n"
        "(2) in Annex I, Article 3 of this Directive is named."
    )
    assert targets(text, "en", "32018L0843") == (
        "31998L0070 31998L0070/art_7a 31998L0070/art_7a 31998L0070/anx_I 31998L0070/art_3"
    )


def test_captions_and_cells_of_a_table_are_no_references() -> None:
    assert targets("Text.\n\nArticle 38\n\nTasks are in Article 39.", "en") == "art_39"
    assert targets("| Article 1 | Article 2(1) |\n| Annex I | Annex II |", "en") == ""
    assert targets("- Articles 48 and 57,\n- Article 71(1).", "en") == "art_48 art_57 art_71"


def test_paragraphs_of_an_amending_text_are_those_of_the_article_that_is_amended() -> None:
    text = (
        "Regulation (EEC) No 4064/89 is hereby amended as follows:\n\n1. in Article 1:\n\n"
        "(a) paragraph 1 is replaced:\n\n'1. Without prejudice to Article 22, as is usual;'\n\n"
        "(b) paragraph 3 is deleted."
    )
    act = "31989R4064"
    assert targets(text, "en", "31997R1310") == (f"{act} {act}/art_1 {act}/art_1 {act}/art_22 {act}/art_1")


def test_this_annex_is_no_reference_as_this_regulation_is_none() -> None:
    assert targets("Products listed in this Annex, under this Regulation", "en") == ""


def test_emphasis_and_footnote_marks_do_not_hide_a_reference() -> None:
    assert targets("**Article 6** of Directive 95/46/EC[^3]", "en") == "31995L0046/art_6"


def test_a_long_range_counts_by_its_ends() -> None:
    assert targets("Articles 1 to 9999", "en") == "art_1 art_9999"
    assert targets("Articles 15 to 8", "en") == "art_15 art_8"


def test_another_language_has_no_references() -> None:
    assert references("Artículo 6", celex=ACT, language="es") == ()


HOSTILE: Final = (
    "(" * 50_000,
    "Article 1, " + "1, " * 25_000,
    "Articles 1, " + "1, " * 25_000,
    "Articles 1 " + "(1)" * 25_000,
    "Articles 1 to 200, " * 500,
    "Articles 1 to 200; " * 1_000,
    "Article 1 and " * 10_000,
    "Regulations " + "(EU) 2016/679, " * 20_000,
    "Article 1 of Regulation (EU) 2016/679, of " * 5_000,
    "paragraph 1 of " * 10_000,
    "first and " * 25_000,
    "Article 1 of " + "The " * 25_000,
    "\n " * 50_000,
    "1/" * 50_000,
    "that Regulation " * 10_000,
)


@pytest.mark.parametrize("text", HOSTILE, ids=range(len(HOSTILE)))
def test_hostile_text_is_read_to_its_end_and_gives_a_bounded_number(text: str) -> None:
    found = references(text, celex=ACT, unit=HERE, language="en")
    assert len(found) <= MAX_REFERENCES
    assert len(references(f"{text[:1_000]}\n\nAnnex III applies.", celex=ACT, language="en")) >= 1


WORDS: Final = st.sampled_from([
    "Article", "Articles", "annexe", "Anhang", "recital", "6", "(2)", "8 bis", "à", "to", "bis", "of", "du",
    "der", "Regulation", "règlement", "(EU) 2016/679", "95/46/EC", "No", "thereof", "that", "this", "présent",
    ",", "and", "TFEU", "Treaty", "Convention", "paragraph", "point", "a)", "III", "is amended as follows",
    "\n\n", "|", "son",
])  # fmt: skip


@given(st.lists(WORDS, max_size=40).map(" ".join) | st.text(), st.sampled_from(["en", "fr", "de"]))
def test_any_text_gives_places_within_it_in_order(text: str, language: str) -> None:
    found = references(text, celex=ACT, unit=HERE, language=language)
    assert all(0 <= one.start < one.end <= len(text) and one.celex for one in found)
    assert [one.start for one in found] == sorted(one.start for one in found)


@dataclass(frozen=True, slots=True)
class Passage:
    """``[start, end)`` in a file's visible text; ``unit`` is where the unit begins that it is in."""

    file: str
    unit: int
    start: int
    end: int
    expected: frozenset[tuple[int, str]]


def passages() -> Iterator[Passage]:
    """The labelled passages: ``~`` stands for the unit that the passage is in."""
    with LABELS.open(encoding="utf-8", newline="") as table:
        rows = list(csv.DictReader(table, delimiter="\t"))
    for row in rows:
        if row["target"] != "passage":
            continue
        start, end = int(row["start"]), int(row["end"])
        labels = [
            (int(other["start"]), _target(other["file"], other["target"]))
            for other in rows
            if other["file"] == row["file"] and other["target"] != "passage"
        ]
        yield Passage(
            row["file"],
            int(row["unit"]),
            start,
            end,
            frozenset(one for one in labels if start <= one[0] < end),
        )


def _target(file: str, label: str) -> str:
    return f"{file.partition('_')[0]}/{HERE}" if label == "~" else label


def found_in(passage: Passage) -> set[tuple[int, str]]:
    text = visible_text(LAW / passage.file)
    found: tuple[Reference, ...] = references(
        text[passage.unit : passage.end],
        celex=passage.file.partition("_")[0],
        unit=HERE,
        language=passage.file.partition(".")[0][-2:],
    )
    placed = {(passage.unit + one.start, f"{one.celex}/{one.unit}".rstrip("/")) for one in found}
    return {one for one in placed if one[0] >= passage.start}


def test_the_sample_is_large_and_varied() -> None:
    sample = list(passages())
    assert sum(len(passage.expected) for passage in sample) >= 150
    assert len({passage.file for passage in sample if passage.expected}) >= 8


@pytest.mark.slow
@needs(LAW)
def test_precision_and_recall_on_labelled_passages() -> None:
    right = wrong = missed = 0
    for passage in passages():
        found = found_in(passage)
        right += len(found & passage.expected)
        wrong += len(found - passage.expected)
        missed += len(passage.expected - found)
    precision, recall = right / (right + wrong), right / (right + missed)
    print(f"{right} right, {wrong} wrong, {missed} missed: precision {precision:.3f}, recall {recall:.3f}")  # noqa: T201
    assert precision >= 0.97
    assert recall >= 0.95

"""Numbers, dates and names that acts print about themselves."""

from datetime import date

import pytest

from ingest.errors import PageError
from ingest.law.metadata import celex_of, number
from ingest.law.parse import parse
from tests.ingest.law.samples import PAGE_HEAD, TITLE, official_journal, text

CORRIGENDUM = official_journal(
    text("On page 3: for ‘wasps’ read ‘bees’."),
    head=PAGE_HEAD + TITLE.replace("REGULATION (EU)", "Corrigendum to Regulation (EU)"),
)


@pytest.mark.parametrize(
    ("title", "celex", "printed"),
    [
        ("REGULATION (EU) 2031/77 OF THE COUNCIL of 3 March 2031", "32031R0077", "2031/77"),
        ("COMMISSION DELEGATED REGULATION (EU) 2022/12 of 1 May 2022", "32022R0012", "2022/12"),
        ("RÈGLEMENT D’EXÉCUTION (UE) 2022/12 DE LA COMMISSION", "32022R0012", "2022/12"),
        ("Onzième directive du Conseil 80/368/CEE du 26 mars 1980", "31980L0368", "80/368/CEE"),
        ("DIRECTIVE DU CONSEIL du 3 mars 1977: abeilles (77/388/CEE)", "31977L0388", "77/388/CEE"),
        ("Durchführungsverordnung (EU) Nr. 12/2013 der Kommission", "32013R0012", "12/2013"),
        ("2006/345/EC: Commission Decision of 5 May 2006 on bees", "32006D0345", "2006/345/EC"),
        (
            "COMMISSION DECISION of 5 May 2006 on honey pursuant to Regulation (EC) No 178/2002 "
            "(notified under document number C(2006) 18) (2006/345/EC) (Text with EEA relevance)",
            "32006D0345",
            "2006/345/EC",
        ),
        ("COMMISSION DECISION of 5 May 2006 pursuant to Regulation (EC) No 178/2002", "", ""),
        ("Decision amending Directive 77/388/EEC", "", ""),
        ("REGOLAMENTO (UE) 2031/77 DEL CONSIGLIO", "", "2031/77"),
        ("Corrigendum to Regulation (EU) 2031/77 of 3 March 2031", "", "2031/77"),
    ],
)
def test_an_act_has_the_number_that_its_title_gives_it_and_not_one_that_it_mentions(
    title: str, celex: str, printed: str
) -> None:
    assert (celex_of(title), number(title)) == (celex, printed)


def test_a_corrigendum_does_not_take_the_name_of_the_act_that_it_corrects() -> None:
    with pytest.raises(PageError, match=r"a corrigendum.*name the file"):
        parse(CORRIGENDUM)


def test_a_corrigendum_has_the_day_of_its_own_publication() -> None:
    act = parse(CORRIGENDUM, celex="32031R0077R(02)")
    assert (act.version, act.published, act.document_date) == (date(2031, 3, 5), date(2031, 3, 5), None)


def test_a_corrigendum_without_a_day_asks_for_it() -> None:
    with pytest.raises(PageError, match="date of the act is not printed"):
        parse(CORRIGENDUM.replace("5.3.2031", ""), celex="32031R0077R(02)")


def test_a_corrigendum_in_an_old_layout_has_the_day_of_its_own_publication() -> None:
    html = (
        '<html><head><title>x</title><meta name="DC.language" content="en"><meta name="DC.source" '
        'content="Official Journal L 7, 05/03/1981 p. 1"></head><body><div id="TexteOnly"><p><TXT_TE>'
        "<p>Corrigendum to Council Regulation (EEC) No 12/80 of 3 March 1980 on apples</p>"
        "<p>For ‘pears’ read ‘apples’.</p></TXT_TE></p></div></body></html>"
    )
    assert parse(html, celex="31980R0012R(01)").version == date(1981, 3, 5)

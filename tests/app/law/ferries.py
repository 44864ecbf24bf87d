"""A small body of law: an act on ferries in two versions and two languages, and one on harbours."""

from datetime import date

from ingest.law.model import Act, Unit
from ingest.law.pages import pages
from ingest.types import RawPage

SOURCE = "law"
FERRIES, HARBOURS = "32020R0001", "32021L0002"
FIRST, SECOND = date(2020, 1, 1), date(2024, 6, 1)

BERTHS = """1.\u00a0The harbour master shall give each ship that asks for one a berth:

- (a) by its length;
- (b) by its cargo.

2.\u00a0A ship that has been given a berth under Article 4 shall pay. Article 4 says what harbours cost.

3.\u00a0Ships of the coast guard shall be:

- (a) first;
- (b) free."""

_CAPTIONS = {"article": {"en": "Article", "fr": "Article"}, "annex": {"en": "ANNEX", "fr": "ANNEXE"}}


def unit(name: str, text: str, heading: str = "", language: str = "en") -> Unit:
    """A unit named ``art_1``, ``rct_1`` or ``anx_I``, its caption printed as EUR-Lex does."""
    prefix, _, number = name.partition("_")
    if prefix == "rct":
        return Unit(name=name, kind="recital", number=number, label=f"({number})", markdown=text, anchor=name)
    kind = "article" if prefix == "art" else "annex"
    label = f"{_CAPTIONS[kind][language]} {number}"
    return Unit(
        name=name,
        kind="article" if kind == "article" else "annex",
        number=number,
        label=label,
        heading=heading,
        markdown=text,
        anchor=name,
    )


def text(
    celex: str, version: date, title: str, *units: Unit, language: str = "en", consolidated: bool = False
) -> list[RawPage]:
    """The pages of one text of an act."""
    act = Act(
        celex=celex,
        language=language,
        version=version,
        layout="oj-convex",
        units=(Unit(name="act", kind="act", markdown="Having regard to the sea,"), *units),
        title=title,
        short_title="Ferries Act" if celex == FERRIES else "",
        consolidated=consolidated,
        document_date=version,
    )
    return pages(act, source=SOURCE)


def library() -> list[RawPage]:
    """All texts."""
    fee, annex = (
        "The fee for a crossing is listed in Annex I. Article 100 TFEU stays as it is.",
        "A crossing costs {} euros for each passenger.",
    )
    recital = unit("rct_1", "Crossing fees should be low, since islanders depend on ferries for every trip.")
    return [
        *text(
            FERRIES,
            FIRST,
            "REGULATION (EU) 2020/1 on ferries",
            recital,
            unit("art_1", fee, "Crossing fee"),
            unit("art_2", "Dogs travel on deck. Article 3 of Directive (EU) 2021/2 applies to cats.", "Dogs"),
            unit("anx_I", annex.format("four"), "Table of fees"),
        ),
        *text(
            FERRIES,
            FIRST,
            "RÈGLEMENT (UE) 2020/1 concernant les bacs",
            unit("art_1", "Le prix de la traversée figure à l'annexe I.", "Prix de la traversée", "fr"),
            unit("anx_I", "La traversée coûte quatre euros par passager.", "Tableau des prix", "fr"),
            language="fr",
        ),
        *text(
            FERRIES,
            SECOND,
            "REGULATION (EU) 2020/1 on ferries",
            unit("art_1", fee, "Crossing fee"),
            unit("art_2", "Dogs travel on deck. Article 3 of Directive (EU) 2021/2 applies to cats.", "Dogs"),
            unit("anx_I", annex.format("seven"), "Table of fees"),
            consolidated=True,
        ),
        *text(
            "12012E100",
            date(2012, 10, 26),
            "Treaty on ferries",
            unit("art_100", "The Council decides on ships.", "Ships"),
        ),
        *text(
            HARBOURS,
            date(2021, 5, 5),
            "DIRECTIVE (EU) 2021/2 on harbours",
            unit("art_3", "Harbours keep a room for animals that wait for their ship.", "Animals"),
            unit("art_4", BERTHS, "Berths"),
            unit(
                "art_1",
                "In this Directive:\n\n- (1) ‘room’ means a heated place;\n- (2) ‘animal’ means a beast;",
                "Definitions",
            ),
        ),
    ]

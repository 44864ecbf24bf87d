"""All facts of a page, for editors and other programs."""

import json
from dataclasses import replace
from typing import Final

from hypothesis import given
from hypothesis import strategies as st

from app.features.facts.console import rule_texts
from app.features.facts.documents import FactsDocument, json_ld
from app.features.facts.hours import EVERY_DAY, OpeningHours, Rule
from app.features.facts.page_facts import page_facts
from tests.app.chat.pages import page
from tests.app.features.facts.told import NOW

OFFICE: Final = page(
    "office",
    title="Registry office",
    content="""# Registry office

## Opening hours

| Day | Time |
|---|---|
| Monday to Wednesday | 8 am to 12 pm |
| Friday | 8 am to 1 pm |

## Fees

| Service | Fee |
|---|---|
| Passport | €70 |
| Advice | on request |
""",
)


def test_hours_and_prices_of_a_page_are_read() -> None:
    facts = page_facts(OFFICE, NOW.date())
    [hours] = facts.hours
    assert rule_texts(hours, "en") == ["Monday–Wednesday: 8 am to 12 pm", "Friday: 8 am to 1 pm"]
    assert rule_texts(hours, "de") == ["Montag–Mittwoch: 8 bis 12 Uhr", "Freitag: 8 bis 13 Uhr"]
    [prices] = facts.prices
    assert (prices.above, prices.name) == (("Fees",), "Service")
    assert [(row.label, row.prices) for row in prices.rows] == [("Passport", (("", "€70"),))]


def test_days_of_the_calendar_are_told() -> None:
    note = "Vom 24. bis 31. Dezember 2026 geschlossen. Am 2. Januar von 9 bis 12 Uhr geöffnet."
    facts = page_facts(
        page("yard", title="Hof", content=f"# Hof\n\n## Öffnungszeiten\n\nSamstag 9–13 Uhr\n\n{note}\n"),
        NOW.date(),
    )
    [hours] = facts.hours
    assert rule_texts(hours, "de")[1:] == [
        "24. Dezember–31. Dezember 2026: geschlossen",
        "2. Januar: 9 bis 12 Uhr",
    ]
    assert rule_texts(hours, "en")[1:] == ["24 December–31 December 2026: closed", "2 January: 9 am to 12 pm"]
    [told] = FactsDocument.of(facts).to_json()["opening_hours"]
    assert [(each["first"], each["last"], each["year"]) for each in told["dated"]] == [
        ("12-24", "12-31", 2026),
        ("01-02", "01-02", None),
    ]
    assert json_ld(facts) is None


def test_dates_deadlines_and_schedules_are_read() -> None:
    content = (
        "# Council\n\n## Meetings in 2027\n\n- 23 February\n- 20 April: cancelled\n\n## Questions\n\n"
        "Send questions by 16 February 2027.\n\n## Bins\n\n"
        "| District | Paper | Glass |\n|---|---|---|\n| North | Monday | Tuesday |\n"
    )
    facts = FactsDocument.of(
        page_facts(page("council", title="Council", content=content), NOW.date())
    ).to_json()
    [found] = facts["dates"]
    assert (found["headings"], found["lead"]) == (["Meetings in 2027"], "")
    assert [(each["first"], each["line"], each["is_off"]) for each in found["dates"]] == [
        ("2027-02-23", "23 February", False),
        ("2027-04-20", "20 April: cancelled", True),
    ]
    assert [(each["text"], each["last"]) for each in facts["deadlines"]] == [
        ("Send questions by 16 February 2027.", "2027-02-16")
    ]
    assert [each["rows"] for each in facts["schedules"]] == [[["North", "Monday", "Tuesday"]]]


def test_a_page_without_any_has_none() -> None:
    facts = page_facts(page("park", title="Park", content="# Park\n\nAlways green."), NOW.date())
    assert not facts.hours
    assert not facts.prices


def test_hours_of_all_year_are_told_in_the_words_of_schema_org() -> None:
    found = json_ld(page_facts(OFFICE, NOW.date()))
    assert found is not None
    assert found["@type"] == "Place"
    assert found["name"] == "Registry office"
    assert found["openingHoursSpecification"][0] == {
        "@type": "OpeningHoursSpecification",
        "dayOfWeek": ["Monday", "Tuesday", "Wednesday"],
        "opens": "08:00",
        "closes": "12:00",
    }


def test_what_schema_org_cannot_say_is_left_to_the_rules() -> None:
    facts = page_facts(OFFICE, NOW.date())
    plain = facts.hours[0]
    summer = Rule(days=frozenset({0}), spans=((480, 720),), months=frozenset({6, 7}))
    first = Rule(days=frozenset({5}), spans=((480, 720),), nth=frozenset({1}))
    twice = Rule(days=frozenset({4}))
    for hours in (
        (),
        (plain, plain),
        (replace(plain, doubtful=frozenset({12})),),
        *((replace(plain, rules=(*plain.rules, rule)),) for rule in (summer, first, twice)),
    ):
        assert json_ld(replace(facts, hours=hours)) is None
    assert "json_ld" not in FactsDocument.of(replace(facts, hours=())).to_json()


RULES = st.builds(
    Rule,
    days=st.frozensets(st.sampled_from(sorted(EVERY_DAY)), min_size=1),
    months=st.frozensets(st.integers(1, 12), min_size=1),
    nth=st.frozensets(st.sampled_from([1, 2, 3, 4, 5, -1])),
    spans=st.lists(st.tuples(st.integers(0, 1_439), st.integers(1, 2_880)), max_size=3).map(tuple),
)


@given(st.lists(RULES, min_size=1, max_size=4))
def test_every_rule_has_a_line_and_is_json(rules: list[Rule]) -> None:
    hours = OpeningHours(rules=tuple(rules), starts=(0,))
    for language in ("de", "en", "fr"):
        assert len(rule_texts(hours, language)) == len(rules)
    document = FactsDocument.of(replace(page_facts(OFFICE, NOW.date()), hours=(hours,)))
    assert FactsDocument.model_validate(document.to_json()).to_json() == json.loads(
        json.dumps(document.to_json())
    )


def test_months_and_certain_days_of_a_month_are_named() -> None:
    rule = Rule(
        days=frozenset({5, 7}), spans=((600, 720),), months=frozenset({1, 2, 3, 5}), nth=frozenset({1, -1})
    )
    [line] = rule_texts(OpeningHours(rules=(rule,), starts=(0,)), "en")
    assert line == (
        "Saturday, public holidays: 10 am to 12 pm (the last of the month, the first of the month)"
        " (January–March, May)"
    )

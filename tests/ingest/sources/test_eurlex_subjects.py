"""Acts of EU law by their subject: the whole list or none, from an endpoint with troubles of its own."""

import json
from collections.abc import Iterator
from typing import Any

import pytest

from ingest.errors import SourceError, SourceUnavailableError
from ingest.sources.eurlex import EurlexSource
from tests.fakes.eurlex import Answer, FakeEurlex
from tests.ingest.fetching.conftest import fetcher

RESULTS = {"Content-Type": "application/sparql-results+json"}
QUERY = "PREFIX cdm: <http://x.example/#>\n# recent ones\nSELECT ?celex WHERE { ?act cdm:celex ?celex }"


@pytest.fixture
def eurlex() -> Iterator[FakeEurlex]:
    with FakeEurlex() as eurlex:
        yield eurlex


def source(eurlex: FakeEurlex, **options: Any) -> EurlexSource:
    return EurlexSource(name="law", fetcher=fetcher(), **eurlex.options(text="oj", **options))


def acts(eurlex: FakeEurlex, **options: Any) -> list[str]:
    return [wanted.id for wanted in source(eurlex, **options).wanted()]


def rows(*celex: str) -> bytes:
    bindings = [{"celex": {"value": number}} for number in celex]
    return json.dumps({"results": {"bindings": bindings}}).encode()


def test_acts_of_a_subject_of_eurovoc_are_listed(eurlex: FakeEurlex) -> None:
    eurlex.subjects = {
        "5482": ["32024R0001", "32016R0679"],
        "c_65b9cd79": ["32024R0002"],
        "9": ["32024R0009"],
    }
    assert acts(eurlex, eurovoc="5482, c_65b9cd79") == ["32016R0679", "32024R0001", "32024R0002"]


def test_acts_of_a_code_of_the_directory_are_listed(eurlex: FakeEurlex) -> None:
    eurlex.subjects = {"132060": ["32024R0001"]}
    assert acts(eurlex, directory=["13.20.60"]) == ["32024R0001"]


def test_acts_of_a_query_are_listed_and_what_is_no_act_is_passed_over(eurlex: FakeEurlex) -> None:
    eurlex.subjects = {"query": ["32024R0001", "C/2024/123"]}
    assert acts(eurlex, query=QUERY) == ["32024R0001"]


def test_a_subject_goes_on_where_acts_were_added(eurlex: FakeEurlex) -> None:
    eurlex.subjects = {"5482": ["32024R0001"]}
    law = source(eurlex, eurovoc="5482")
    assert len(law.wanted()) == 1
    eurlex.subjects["5482"].append("32024R0002")
    assert len(law.wanted()) == 2


def test_10_000_acts_come_in_parts_and_one_more_is_refused(eurlex: FakeEurlex) -> None:
    numbers = [f"32{year:03}R{number:04}" for year in range(10) for number in range(1_000)]
    eurlex.subjects = {"5482": list(numbers)}
    assert acts(eurlex, eurovoc="5482") == numbers
    assert eurlex.asked() == ["sparql"] * 11
    eurlex.subjects["5482"].append("32024R0001")
    with pytest.raises(SourceError, match="more than 10,000 acts: narrow the subject or raise max_acts"):
        acts(eurlex, eurovoc="5482")


def test_a_subject_without_acts_is_told(eurlex: FakeEurlex) -> None:
    with pytest.raises(SourceError, match="no acts found for the subject: check eurovoc, directory or query"):
        acts(eurlex, eurovoc="5482")


@pytest.mark.parametrize(
    ("answer", "message"),
    [
        (Answer(status=500), "HTTP 500"),
        (Answer(status=403), "HTTP 403"),
        (Answer(body=b"<html>", headers={"Content-Type": "text/html"}), "cannot be read"),
        (Answer(body=b"{", headers=RESULTS), "the reply is not a list of acts"),
        (Answer(body=b'{"results": {"bindings": [{"act": {}}]}}', headers=RESULTS), "reply is not a list of"),
        (Answer(body=rows("32024R0001", "\ud800"), headers=RESULTS), "reply is not a list of"),
        (Answer(body=b"[" * 100_000, headers=RESULTS), "reply is not a list of"),
        (Answer(body=rows("32024R0001"), headers=RESULTS | {"X-SQL-State": "S1TAT"}), "is incomplete"),
        (Answer(body=b" " * 5_000_001, headers=RESULTS), "cannot be read"),
    ],
)
def test_an_endpoint_in_trouble_is_an_outage(eurlex: FakeEurlex, answer: Answer, message: str) -> None:
    eurlex.wrong["sparql"] = [answer]
    with pytest.raises(SourceUnavailableError, match=message):
        acts(eurlex, eurovoc="5482")


def test_half_a_list_is_none(eurlex: FakeEurlex) -> None:
    first = Answer(body=rows(*(f"32000R{number:04}" for number in range(1_000))), headers=RESULTS)
    eurlex.wrong["sparql"] = [first, Answer(status=503)]
    with pytest.raises(SourceUnavailableError, match="HTTP 503"):
        acts(eurlex, eurovoc="5482")


def test_a_list_that_begins_again_and_again_ends(eurlex: FakeEurlex) -> None:
    again = Answer(body=rows(*(f"32000R{number:04}" for number in range(1_000))), headers=RESULTS)
    eurlex.wrong["sparql"] = [again]
    with pytest.raises(SourceUnavailableError, match="does not continue"):
        acts(eurlex, eurovoc="5482")
    assert len(eurlex.asked()) == 2


def test_a_list_without_end_of_what_is_no_act_ends(eurlex: FakeEurlex) -> None:
    eurlex.subjects = {"query": [f"z{number:08}" for number in range(20_000)]}
    with pytest.raises(SourceError, match="3,000 rows, most of which are not acts: narrow the query"):
        acts(eurlex, query=QUERY, max_acts=100)
    assert eurlex.asked() == ["sparql"] * 3


def test_a_query_that_the_endpoint_refuses_is_told(eurlex: FakeEurlex) -> None:
    eurlex.wrong["sparql"] = [Answer(status=400)]
    with pytest.raises(SourceError, match="the query is refused: check it"):
        acts(eurlex, query="SELECT ?celex WHERE { ?")


def test_the_endpoint_may_be_another_but_none_of_the_own_network(eurlex: FakeEurlex) -> None:
    options = eurlex.options(text="oj", eurovoc="5482") | {"versions_url": "http://10.0.0.1/sparql"}
    with pytest.raises(SourceUnavailableError, match=r"10\.0\.0\.1"):
        EurlexSource(name="law", fetcher=fetcher(), **options).wanted()


@pytest.mark.parametrize(
    ("options", "message"),
    [
        ({"eurovoc": "data protection"}, "option 'eurovoc': 'data protection' is not a subject"),
        ({"directory": "13.2"}, "option 'directory': '13.2' is not a code"),
        ({"directory": '13"'}, "is not a code"),
        ({"query": "DELETE WHERE { ?s ?p ?celex }"}, "option 'query': use a SELECT with"),
        ({"query": "SELECT ?act WHERE { ?act ?p ?celex }"}, "option 'query': use a SELECT with"),
        ({"query": QUERY + "#" * 5_000}, "longer than 4,096"),
        ({"query": QUERY, "eurovoc": "5482"}, "set only one of them"),
        ({"max_acts": 0, "eurovoc": "5482"}, "option 'max_acts'"),
        ({}, "option 'acts': set CELEX numbers"),
    ],
)
def test_wrong_subjects_are_named(eurlex: FakeEurlex, options: dict[str, Any], message: str) -> None:
    with pytest.raises(ValueError, match="option") as error:
        source(eurlex, **options)
    assert message in str(error.value)


def test_numbers_go_before_a_subject(eurlex: FakeEurlex) -> None:
    assert acts(eurlex, acts="32024R0001", eurovoc="5482") == ["32024R0001"]
    assert eurlex.asked() == []


def test_what_is_sent_is_one_query_with_the_prefixes_in_front(eurlex: FakeEurlex) -> None:
    eurlex.subjects = {"query": ["32024R0001"]}
    assert acts(eurlex, query=f"{QUERY} # the end") == ["32024R0001"]
    [sent] = eurlex.queries
    assert sent.startswith("PREFIX cdm: <http://x.example/#>")
    assert sent.index("# the end\n} FILTER") > sent.index("WHERE { ?act") > sent.index("WHERE {\n{ SELECT")

"""The evaluations that are kept, in the console and its API."""

import jsonschema_rs
import pytest

from app.features.evaluation.api import RunsDocument
from app.features.evaluation.console import REPORT_POLICY
from app.services import Services
from tests.app.console.conftest import TOKEN, Console
from tests.app.console.test_numbers import NUMBERS
from tests.app.features.evaluation.foreign import add
from tests.app.web.browser import soup

API = "/api/admin/evaluations"
BEARER = {"Authorization": f"Bearer {TOKEN}"}


@pytest.mark.parametrize("language", ["de", "en"])
def test_the_page_is_whole_in_both_languages_and_lets_nothing_run(
    admin: Console, services: Services, language: str
) -> None:
    for _ in range(2):
        answer = admin.get(f"/evaluations?lang={language}")
        assert answer.status_code == 200
        found = soup(answer)
        assert len(found.select("h1")) == 1
        assert [script["src"] for script in found.select("script")] == ["/admin/static/console.js"]
        assert found.select("[style], [onclick], [onload]") == []
        add(services)


def test_a_report_may_run_nothing_and_one_that_is_not_kept_is_not_there(
    admin: Console, services: Services
) -> None:
    assert admin.get("/evaluations/1").status_code == 404
    [values] = add(services).values.values()
    report = admin.get(f"/evaluations/{values['number']}")
    assert (report.status_code, report.headers["Content-Security-Policy"]) == (200, REPORT_POLICY)
    assert "pool.jsonl" in report.text


def test_the_api_tells_them_to_admins_alone(admin: Console, editor: Console, services: Services) -> None:
    assert admin.client.get(API, headers=BEARER).get_json() == {"evaluations": []}
    add(services)
    told = admin.client.get(API, headers=BEARER).get_json()
    jsonschema_rs.validate(RunsDocument.model_json_schema(), told)
    assert [each["label"] for each in told["evaluations"]] == ["default"]
    assert editor.client.get(API).status_code == 403


@pytest.mark.parametrize("number", NUMBERS, ids=lambda number: number[:24])
def test_a_number_that_no_evaluation_has_is_no_fault(admin: Console, number: str) -> None:
    paths = (f"/evaluations/{number}", f"/evaluations?below={number}")
    replies = [*map(admin.get, paths), admin.client.get(f"{API}?below={number}", headers=BEARER)]
    assert all(reply.status_code < 500 for reply in replies), [reply.status_code for reply in replies]

"""What operators see of real workers: their log, and numbers that come together from all processes."""

import json

import httpx

from tests.app.metric_values import values_in
from tests.faults.conftest import StartInstallation
from tests.faults.gate import wait_for_rest


def test_workers_log_json_and_their_work_is_told_by_the_server(start_installation: StartInstallation) -> None:
    installation = start_installation()
    pages = installation.new_pages(20)
    wait_for_rest(installation.services)
    printed = installation.log.read_text("utf-8").splitlines()
    lines = [json.loads(line) for line in printed if not line.startswith("Auskunft serves at")]
    indexed = [line for line in lines if line["event"] == "page_indexed"]
    assert sorted(line["page"] for line in indexed) == sorted(pages)
    assert all(line["job"] for line in indexed)
    accepted = [line for line in lines if line["event"] == "delivery_accepted"]
    assert [line["jobs"] for line in accepted] == [20]

    metrics = values_in(httpx.get(f"{installation.url}/metrics").text)
    assert metrics["auskunft_pages_indexed_total"] == [({"source": "town"}, 20)]
    assert metrics["auskunft_searchable_seconds_count"] == [({"priority": "interactive"}, 20)]
    assert metrics["auskunft_workers"] == metrics["auskunft_schedule_kept"] == [({}, 1)]

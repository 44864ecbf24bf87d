"""Numbers in addresses and forms that no entry has: an answer in words, never a fault."""

import pytest

from tests.app.console.conftest import TOKEN, Console

NUMBERS = ["1" * 9, str(2**31), str(2**63 - 1), str(2**63), "9" * 30, "9" * 5_000, "-1", str(-(2**63) - 1)]
READ = [
    "/changes?below={}",
]
SENT = ["/annotations/{}/remove"]
SENT = ["/answers/{}", "/answers/{}/remove"]
API = [
    ("get", "/api/admin/changes?below={}"),
]


@pytest.mark.parametrize("number", NUMBERS, ids=lambda number: number[:24])
def test_a_number_that_no_entry_has_is_no_fault(admin: Console, number: str) -> None:
    headers = {"Authorization": f"Bearer {TOKEN}"}
    replies = [admin.get(path.format(number)) for path in READ]
    replies += [admin.post(path.format(number), version=number) for path in SENT]
    replies += [
        admin.client.open(path.replace("{}", number), method=method.upper(), headers=headers)
        for method, path in API
    ]
    assert [
        (reply.request.path[:60], reply.status_code) for reply in replies if reply.status_code >= 500
    ] == []
    assert {reply.status_code for reply in replies[len(READ) :]} <= {200, 303, 400, 404, 409, 422}


def test_a_number_larger_than_any_is_said_in_german(german: Console) -> None:
    answer = german.get(f"/changes?below={2**63}")
    assert answer.status_code == 400
    assert "größer als jede" in answer.text

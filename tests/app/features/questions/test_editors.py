"""``/api/admin/questions`` for editors, who have the questions of their sites alone."""

import jsonschema_rs

from app.features.questions.gaps import QuestionGroupsDocument
from app.features.questions.services import QuestionServices
from app.services import Services
from tests.app.console.conftest import OURS, Console


def test_an_editor_reads_the_questions_of_their_sites_alone(console: Console, services: Services) -> None:
    question = {"question": "How much is the dog tax?"}
    assert console.client.post("/api/chat?site=town", json=question).get_data()
    town, law = (Console(services).log_in(name, name).client for name in ("town", "law"))
    [asked] = town.get("/api/admin/questions").get_json()["questions"]
    assert law.get("/api/admin/questions").get_json()["questions"] == []
    assert law.get("/api/admin/questions/counts").get_json()["total"] == 0
    assert law.get("/api/admin/questions?site=town").status_code == 404
    one = f"/api/admin/questions/{asked['id']}"
    assert (town.get(one).status_code, law.get(one).status_code) == (200, 404)


def test_an_editor_groups_the_questions_of_their_sites(services: Services) -> None:
    editor, url = Console(services).log_in("eve", "town", "law").client, "/api/admin/questions/groups"
    assert editor.post(f"{url}?site=elsewhere", headers=OURS).status_code == 404
    assert not services.feature(QuestionServices).groups.is_requested()
    answer = editor.post(f"{url}?site=law", headers=OURS)
    assert (answer.status_code, answer.headers["Cache-Control"]) == (202, "no-store")
    jsonschema_rs.validate(QuestionGroupsDocument.model_json_schema(), answer.get_json())
    assert answer.get_json()["requested"]
    [entry] = services.audit_log.entries(actor="eve")
    assert (entry.action, entry.target) == ("questions.group", "questions")

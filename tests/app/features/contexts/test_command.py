"""``auskunft contexts``: how far contexts are, what they cost, writing them."""

import json
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from tests.app.features.contexts.scripted import USAGE, writes_contexts
from tests.fakes.command import Command
from tests.fakes.llm import FakeLlm, Reply, refusing_url

pytestmark = pytest.mark.commands

PAGE = "---\ntitle: Dog tax\n---\n## Amount\n\n" + "The dog tax is due in spring. " * 40


@pytest.fixture
def llm() -> Iterator[FakeLlm]:
    with FakeLlm() as fake:
        fake.answer = writes_contexts
        yield fake


def town(folder: Path, base_url: str, **settings: Any) -> Command:
    """Two pages, indexed, whose chunks get contexts."""
    site = folder / "site"
    site.mkdir()
    for name in ("dogs", "cats"):
        (site / f"{name}.md").write_text(PAGE.replace("og tax", f"og tax of {name}"))
    model: dict[str, Any] = {"contexts__model": "fake", "contexts__base_url": base_url} if base_url else {}
    command = Command(folder, preset="contextual", **model, **settings)
    assert command.run("index", "site", "--source", "town").code == 0
    return command


def test_contexts_are_written_and_their_pages_indexed_with_them(tmp_path: Path, llm: FakeLlm) -> None:
    prices = {"contexts__input_price": 2, "contexts__cached_price": 0.2, "contexts__output_price": 10}
    command = town(tmp_path, llm.base_url, **prices)
    before = command.run("contexts", "--json").json()
    [source] = before["sources"]
    assert (source["pages"], source["due"], source["written"]) == (2, 2, 0)
    assert before["rest_tokens"]["prompt"] > 500 * source["chunks"]
    assert llm.requests == []

    done = command.run("contexts", "--write")
    assert (done.code, done.err) == (0, "")
    after = command.run("contexts", "--json").json()
    [source] = after["sources"]
    assert (source["written"], source["due"], source["failed"]) == (source["chunks"], 0, 0)
    asked, (prompt, cached, output) = len(llm.requests), USAGE
    assert after["tokens"] == {"prompt": asked * prompt, "cached": asked * cached, "output": asked * output}
    assert after["cost"] == pytest.approx(asked * (200 * 2 + 800 * 0.2 + 60 * 10) / 1_000_000)
    assert "From the page Dog tax of cats" not in command.run("search", "dog tax").out, "text stays as it is"

    again = command.run("contexts", "--write")
    assert (again.code, len(llm.requests)) == (0, asked)
    assert f"{source['chunks']} of {source['chunks']} chunks written" in again.out


def test_much_is_spent_only_after_a_person_says_so(tmp_path: Path, llm: FakeLlm) -> None:
    command = town(tmp_path, llm.base_url, contexts__input_price=1_000, contexts__output_price=1_000)
    refused = command.run("contexts", "--write")
    assert "run the command with --yes" in refused.complaint(2)
    assert llm.requests == []
    assert command.run("contexts", "--write", "--yes").code == 0


def test_what_failed_is_told_with_its_reason_and_asked_for_again(tmp_path: Path, llm: FakeLlm) -> None:
    command = town(tmp_path, llm.base_url)
    llm.answer = lambda _request: Reply(deltas=("I'm sorry, I cannot do that.",))
    failed = command.run("contexts", "--write")
    assert failed.code == 1
    assert "failed: refusal (`auskunft contexts --retry`)" in failed.out
    llm.answer = writes_contexts
    retried = command.run("contexts", "--retry", "--write")
    assert retried.code == 0
    assert "chunks that failed are asked for again" in retried.err


def test_a_model_that_is_away_is_told(tmp_path: Path) -> None:
    command = town(tmp_path, refusing_url())
    tried = command.run("contexts", "--write")
    assert tried.code == 1
    assert "cannot be reached" in tried.err
    assert "model unavailable since" in command.run("contexts").out
    told = command.run("status", "--json")
    assert told.code == 1
    status = {part["name"]: part for part in json.loads(told.out)["parts"]}
    assert "model unavailable since" in status["contexts"]["detail"]
    assert (status["contexts"]["ok"], status["contexts"]["required"]) == (False, False)


def test_without_a_model_headings_serve_and_the_status_says_so(tmp_path: Path) -> None:
    command = town(tmp_path, "")
    assert "no language model is set" in command.run("contexts", "--write").complaint(2)
    status = {part["name"]: part for part in command.run("status", "--json").json()["parts"]}
    assert status["contexts"]["ok"]
    assert "no language model writes them: chunks have only their headings" in status["contexts"]["detail"]


def test_who_wants_no_contexts_is_told_how_to_get_some(tmp_path: Path) -> None:
    assert 'preset = "contextual"' in Command(tmp_path).run("contexts").complaint(2)

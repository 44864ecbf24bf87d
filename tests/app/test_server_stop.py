"""What a stopping server leaves of the answers that it was writing."""

import shutil
import signal
from pathlib import Path

import httpx

from app.services import Services
from app.settings import Settings
from tests.app.api.events import parse
from tests.app.test_server import COMMAND, PATIENCE_SECONDS, QUESTION, environment, serving
from tests.fakes.llm import FakeLlm, Reply


def test_an_answer_that_was_being_written_is_kept_and_the_conversation_goes_on(
    site_settings: Settings, llm: FakeLlm, tmp_path: Path
) -> None:
    data = tmp_path / "data"
    shutil.copytree(site_settings.data, data)
    llm.script(Reply(deltas=("It is 96 euros.\n\nMore", " later"), stall_at=1))
    model = {"AUSKUNFT_CHAT__BASE_URL": llm.base_url, "AUSKUNFT_CHAT__MODEL": "fake"}
    with serving([*COMMAND, "serve", "--port", "0"], environment(data, **model)) as (process, url):
        body = {"question": QUESTION}
        with httpx.stream("POST", f"{url}api/chat", json=body, timeout=PATIENCE_SECONDS) as response:
            chunks = response.iter_text()
            told = next(chunks)
            while "event: block" not in told:
                told += next(chunks)
            process.send_signal(signal.SIGTERM)
            process.wait(PATIENCE_SECONDS)
    ids = parse(told[: told.index("\n\n") + 2])[0][1]
    with Services(site_settings.model_copy(update={"data": data})) as services:
        conversations = services.visits.conversations
        stored = conversations.answer("default", ids["answer"])
        assert stored.status == "interrupted"
        assert stored.document
        assert stored.document["answer"].startswith("It is 96 euros.")
        assert conversations.begin("default", QUESTION, ids["conversation"])

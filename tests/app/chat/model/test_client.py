"""The client against a scripted endpoint: what arrives, how it fails, when it asks again."""

import time
import traceback
from concurrent.futures import ThreadPoolExecutor

import pytest

from app.chat.model.cancellation import Cancellation
from app.chat.model.client import CHARACTERS_PER_TOKEN, ChatModel
from app.chat.pipelines import make_model
from app.chat.types import Message
from app.errors import ModelError, SettingsError
from app.settings.settings import load_settings
from tests.fakes.llm import FakeLlm, Reply, refusing_url

MESSAGES = [Message(role="system", content="Be brief."), Message(role="user", content="Hello?")]
HANG_UP_SECONDS = 20.0


def streamed(model: ChatModel) -> tuple[str, str]:
    """The text that came and how it failed, if it did."""
    text = ""
    try:
        for piece in model.stream(MESSAGES, 50):
            text += piece
    except ModelError as error:
        return text, error.kind
    return text, ""


def test_the_reply_streams_in_the_pieces_in_which_it_comes(llm: FakeLlm, model: ChatModel) -> None:
    llm.script(Reply(deltas=("Hel", "lo", " world.")))
    assert list(model.stream(MESSAGES, 50)) == ["Hel", "lo", " world."]


def test_the_request_carries_the_messages_and_the_limit(llm: FakeLlm, model: ChatModel) -> None:
    list(model.stream(MESSAGES, 50))
    [request] = llm.requests
    assert request["model"] == "fake"
    assert request["max_tokens"] == 50
    assert request["messages"] == [
        {"role": "system", "content": "Be brief."},
        {"role": "user", "content": "Hello?"},
    ]


def test_the_limit_can_have_its_newer_name(llm: FakeLlm) -> None:
    model = ChatModel(llm.base_url, "", "fake", limit_parameter="max_completion_tokens", temperature=None)
    list(model.stream(MESSAGES, 50))
    assert llm.requests[0]["max_completion_tokens"] == 50
    assert not {"max_tokens", "temperature"} & llm.requests[0].keys()


@pytest.mark.parametrize(
    ("given", "sent"), [({}, 0.1), ({"temperature": "0.7"}, 0.7), ({"temperature": 0}, 0)]
)
def test_the_settings_say_the_temperature(llm: FakeLlm, given: dict[str, object], sent: float) -> None:
    settings = load_settings(chat={"base_url": llm.base_url, "model": "fake", **given})
    model = make_model(settings)
    assert model is not None
    list(model.stream(MESSAGES, 50))
    assert llm.requests[0]["temperature"] == sent


def test_no_temperature_is_sent_where_the_settings_say_none(llm: FakeLlm) -> None:
    model = make_model(load_settings(chat={"base_url": llm.base_url, "model": "fake", "temperature": "none"}))
    assert model is not None
    list(model.stream(MESSAGES, 50))
    assert "temperature" not in llm.requests[0]


@pytest.mark.parametrize("wrong", ["hot", -0.1, 2.1, "nan"])
def test_a_temperature_that_no_model_has_is_refused(wrong: object) -> None:
    with pytest.raises(SettingsError, match=r"setting 'chat\.temperature': "):
        load_settings(chat={"temperature": wrong})


OF_ANOTHER_PROGRAM = {
    "OPENAI_ORG_ID": "org-hush",
    "OPENAI_PROJECT_ID": "project-hush",
    "OPENAI_API_KEY": "key-hush",
    "OPENAI_ADMIN_KEY": "admin-hush",
    "OPENAI_CUSTOM_HEADERS": "X-Team: team-hush\nAuthorization: Bearer hush\nUser-Agent: agent-hush",
    "OPENAI_BASE_URL": "http://127.0.0.1:1/hush",
}


@pytest.mark.parametrize("key", ["", "secret-key"])
def test_what_other_programs_keep_in_the_environment_is_not_sent(
    llm: FakeLlm, monkeypatch: pytest.MonkeyPatch, key: str
) -> None:
    for name, value in OF_ANOTHER_PROGRAM.items():
        monkeypatch.setenv(name, value)
    list(ChatModel(llm.base_url, key, "fake").stream(MESSAGES, 50))
    [sent] = llm.headers
    assert "hush" not in str(sent)
    assert sent["authorization"] == f"Bearer {key or 'none'}"
    assert sent["user-agent"] == "Auskunft"
    assert sent.keys() & {"openai-organization", "openai-project", "x-stainless-os"} == set()


@pytest.mark.parametrize(
    ("reply", "kind", "text"),
    [
        (Reply(ending="early"), "interrupted", "Hello world."),
        (Reply(ending="cut"), "interrupted", "Hello world."),
        (Reply(ending="error"), "interrupted", "Hello world."),
        (Reply(deltas=(), ending="cut"), "interrupted", ""),
        (Reply(raw=b"\xff\xfe\x00 not text"), "garbage", ""),
        (Reply(raw=b"<html>Welcome</html>"), "garbage", ""),
        (Reply(raw=b""), "garbage", ""),
        (Reply(raw=b"data: {broken\n\n"), "garbage", ""),
        (Reply(raw=b"data: 42\n\n"), "garbage", ""),
        (Reply(raw=b'data: {"choices": 7}\n\n'), "garbage", ""),
        (Reply(raw=b'data: {"choices": [{"delta": "x"}]}\n\n'), "garbage", ""),
        (Reply(raw=b'data: {"choices": [{"delta": {"content": [1]}}]}\n\n'), "garbage", ""),
        (Reply(status=400), "refused", ""),
        (Reply(status=401), "refused", ""),
        (Reply(status=404), "refused", ""),
    ],
)
def test_a_failure_has_its_kind_and_what_came_before_stays(
    llm: FakeLlm, model: ChatModel, reply: Reply, kind: str, text: str
) -> None:
    llm.script(reply)
    assert streamed(model) == (text, kind)
    assert len(llm.requests) == 1


@pytest.mark.parametrize(
    ("reply", "text"),
    [
        (Reply(silent=True), ""),
        (Reply(stall_at=0), ""),
        (Reply(stall_at=0, keep_alive=True), ""),
        (Reply(stall_at=1), "Hello"),
        (Reply(stall_at=1, keep_alive=True), "Hello"),
    ],
)
def test_a_stall_ends_at_the_deadline_even_if_the_connection_is_kept_alive(
    llm: FakeLlm, hasty: ChatModel, reply: Reply, text: str
) -> None:
    llm.script(reply)
    begun = time.monotonic()
    assert streamed(hasty) == (text, "timeout")
    assert time.monotonic() - begun < HANG_UP_SECONDS
    assert llm.hung_up.wait(HANG_UP_SECONDS)


def test_an_endless_reply_ends_at_the_deadline_and_the_connection_with_it(
    llm: FakeLlm, hasty: ChatModel
) -> None:
    llm.script(Reply(deltas=("Hello", ""), endless=True))
    begun = time.monotonic()
    assert streamed(hasty) == ("Hello", "timeout")
    assert time.monotonic() - begun < HANG_UP_SECONDS
    assert llm.hung_up.wait(HANG_UP_SECONDS)


def test_a_reply_that_ignores_its_limit_ends_and_the_connection_with_it(
    llm: FakeLlm, hasty: ChatModel
) -> None:
    llm.script(Reply(endless=True))
    text, kind = streamed(hasty)
    assert kind == "garbage"
    assert text.startswith("Hello world. world.")
    assert len(text) <= 50 * CHARACTERS_PER_TOKEN
    assert llm.hung_up.wait(HANG_UP_SECONDS)


def test_an_unreachable_endpoint_is_named() -> None:
    with pytest.raises(ModelError, match=r"'fake' at 127\.0\.0\.1:\d+ cannot be reached") as caught:
        list(ChatModel(refusing_url(), "", "fake", retries=0).stream(MESSAGES, 50))
    assert caught.value.kind == "unreachable"


def test_a_refused_key_appears_in_no_message(llm: FakeLlm, model: ChatModel) -> None:
    llm.script(Reply(status=401))
    with pytest.raises(ModelError, match="check the API key") as caught:
        list(model.stream(MESSAGES, 50))
    assert "secret-key" not in str(caught.value)
    assert "scripted" not in str(caught.value)


@pytest.mark.parametrize(
    ("reply", "told"),
    [
        (Reply(status=400), "answered HTTP 400"),
        (Reply(status=404), "answered HTTP 404: check the base URL and the model's name"),
        (Reply(status=503, headers={"Retry-After": "60"}), "answered HTTP 503"),
        (Reply(ending="error"), "broke off"),
        (Reply(raw=b'data: {"question": "Hello?"\n\n'), "sent an invalid reply: JSONDecodeError"),
    ],
)
def test_what_the_endpoint_writes_appears_in_no_message_as_it_may_be_the_question(
    llm: FakeLlm, model: ChatModel, reply: Reply, told: str
) -> None:
    llm.script(reply)
    with pytest.raises(ModelError) as caught:
        list(model.stream(MESSAGES, 50))
    assert str(caught.value) == f"language model 'fake' at {llm.address.removeprefix('http://')} {told}"
    said = "".join(traceback.format_exception(caught.value))
    assert not [secret for secret in ("scripted", "out of memory", "Hello?") if secret in said]


@pytest.mark.parametrize("status", [429, 500, 503])
def test_a_passing_refusal_is_asked_again_once(llm: FakeLlm, status: int) -> None:
    model = ChatModel(llm.base_url, "", "fake")
    llm.script(Reply(status=status, headers={"Retry-After": "0"}), Reply(deltas=("There.",)))
    assert list(model.stream(MESSAGES, 50)) == ["There."]
    assert len(llm.requests) == 2


def test_a_lasting_rate_limit_is_told_as_such(llm: FakeLlm) -> None:
    model = ChatModel(llm.base_url, "", "fake")
    busy = Reply(status=429, headers={"Retry-After": "0"})
    llm.script(busy, busy)
    assert streamed(model) == ("", "rate_limited")
    assert len(llm.requests) == 2


def test_a_wait_beyond_the_deadline_is_not_waited(llm: FakeLlm, model: ChatModel) -> None:
    llm.script(Reply(status=429, headers={"Retry-After": "60"}))
    begun = time.monotonic()
    assert streamed(model) == ("", "rate_limited")
    assert time.monotonic() - begun < 30
    assert len(llm.requests) == 1


def test_the_pause_between_tokens_may_be_longer_than_the_first_token_may_take(llm: FakeLlm) -> None:
    model = ChatModel(llm.base_url, "", "fake", first_token_seconds=0.3, idle_seconds=5.0)
    llm.script(Reply(stall_at=1, stall_seconds=0.5))
    assert list(model.stream(MESSAGES, 50)) == ["Hello", " world."]


def test_a_slow_reader_is_not_taken_for_a_stalled_model(llm: FakeLlm, hasty: ChatModel) -> None:
    llm.script(Reply(deltas=("One", " two", " three.")))
    pieces = hasty.stream(MESSAGES, 50)
    first = next(pieces)
    time.sleep(0.5)
    assert [first, *pieces] == ["One", " two", " three."]


def test_closing_the_stream_hangs_up(llm: FakeLlm, model: ChatModel) -> None:
    llm.script(Reply(endless=True))
    pieces = model.stream(MESSAGES, 50)
    assert next(pieces) == "Hello"
    pieces.close()
    assert llm.hung_up.wait(HANG_UP_SECONDS)


def test_complete_gives_the_whole_reply(llm: FakeLlm, model: ChatModel) -> None:
    llm.script(Reply(deltas=("<think>hm", "m</think>\nWhole", " reply.")))
    assert model.complete(MESSAGES, 50, 2.0) == "Whole reply."


def test_complete_keeps_its_own_deadline(llm: FakeLlm) -> None:
    model = ChatModel(llm.base_url, "", "fake")
    llm.script(Reply(endless=True))
    begun = time.monotonic()
    with pytest.raises(ModelError) as caught:
        model.complete(MESSAGES, 50, 0.2)
    assert caught.value.kind == "timeout"
    assert time.monotonic() - begun < HANG_UP_SECONDS


@pytest.mark.parametrize(
    "base_url", ["", "localhost:11434", "ftp://host/v1", "http://", "http://[x", "http://h:p/"]
)
def test_a_base_url_that_is_none_is_refused_at_once(base_url: str) -> None:
    with pytest.raises(SettingsError, match="base URL"):
        ChatModel(base_url, "", "fake")


@pytest.mark.parametrize(
    "reply", [Reply(silent=True), Reply(stall_at=0), Reply(stall_at=1), Reply(stall_at=0, keep_alive=True)]
)
def test_another_thread_can_end_a_reply_at_any_time(llm: FakeLlm, model: ChatModel, reply: Reply) -> None:
    llm.script(reply)
    cancellation = Cancellation()
    with ThreadPoolExecutor() as pool:
        coming = pool.submit(list, model.stream(MESSAGES, 50, cancellation))
        assert llm.asked.wait(HANG_UP_SECONDS)
        cancellation.request()
        with pytest.raises(ModelError) as raised:
            coming.result(HANG_UP_SECONDS)
    assert raised.value.kind == "cancelled"
    assert llm.hung_up.wait(HANG_UP_SECONDS)


def test_a_pause_before_asking_again_ends_too(llm: FakeLlm, model: ChatModel) -> None:
    llm.script(Reply(status=429, headers={"Retry-After": "20"}))
    cancellation = Cancellation()
    with ThreadPoolExecutor() as pool:
        coming = pool.submit(list, model.stream(MESSAGES, 50, cancellation))
        assert llm.asked.wait(HANG_UP_SECONDS)
        cancellation.request()
        with pytest.raises(ModelError):
            coming.result(HANG_UP_SECONDS)
    assert len(llm.requests) == 1


def test_nothing_is_asked_after_it_was_cancelled(llm: FakeLlm, model: ChatModel) -> None:
    cancellation = Cancellation()
    cancellation.request()
    with pytest.raises(ModelError) as raised:
        list(model.stream(MESSAGES, 50, cancellation))
    assert raised.value.kind == "cancelled"
    assert llm.requests == []

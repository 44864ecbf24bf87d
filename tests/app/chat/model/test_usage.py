"""What a reply took, as the endpoint tells it."""

import pytest

from app.chat.model.client import ChatModel
from app.chat.model.reply_form import ReplyForm
from app.chat.model.tokens import Tokens
from app.chat.types import Message
from app.errors import ModelError
from tests.fakes.llm import FakeLlm, Reply

MESSAGES = [Message(role="user", content="Hello?")]


def taken(model: ChatModel) -> list[Tokens]:
    """What the endpoint tells of a reply."""
    told: list[Tokens] = []
    assert model.complete(MESSAGES, 50, 20, form=ReplyForm(usage=told.append)) == "Hello world."
    return told


def test_the_tokens_of_a_reply_are_told_after_it(llm: FakeLlm, model: ChatModel) -> None:
    llm.script(Reply(usage=(100, 80, 7)))
    assert taken(model) == [Tokens(prompt=100, cached=80, output=7)]


def test_who_does_not_ask_sends_the_request_of_before(llm: FakeLlm, model: ChatModel) -> None:
    model.complete(MESSAGES, 50, 20)
    assert "stream_options" not in llm.requests[0]


def test_an_endpoint_that_tells_nothing_has_replied_all_the_same(llm: FakeLlm, model: ChatModel) -> None:
    assert taken(model) == []


def test_an_endpoint_that_refuses_the_option_is_asked_without_it_from_then_on(
    llm: FakeLlm, model: ChatModel
) -> None:
    llm.script(Reply(status=422))
    assert taken(model) == taken(model) == []
    assert ["stream_options" in request for request in llm.requests] == [True, False, False]


def test_a_request_that_is_refused_for_another_reason_fails_and_the_option_stays(
    llm: FakeLlm, model: ChatModel
) -> None:
    llm.script(Reply(status=400), Reply(status=400), Reply(usage=(1, 0, 1)))
    with pytest.raises(ModelError) as raised:
        taken(model)
    assert raised.value.http_status == 400
    assert taken(model) == [Tokens(prompt=1, cached=0, output=1)]


@pytest.mark.parametrize(
    "usage", ['"many"', "[]", '{"prompt_tokens": "x"}', '{"prompt_tokens": -1}', '{"prompt_tokens": 1e999}']
)
def test_usage_of_any_form_breaks_no_reply(llm: FakeLlm, model: ChatModel, usage: str) -> None:
    end = '{"choices": [{"index": 0, "delta": {"content": "Hello world."}, "finish_reason": "stop"}]}'
    events = f'data: {end}\n\ndata: {{"choices": [], "usage": {usage}}}\n\ndata: [DONE]\n\n'
    llm.script(Reply(raw=events.encode()))
    assert taken(model) == []

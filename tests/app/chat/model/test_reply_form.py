"""Replies in JSON are asked for by the strictest form that the endpoint takes."""

from typing import Any

import pytest

from app.chat.model.client import ChatModel
from app.chat.model.reply_form import ReplyForm
from app.chat.model.tokens import Tokens
from app.chat.types import Message
from app.errors import ModelError
from tests.fakes.llm import FakeLlm, Reply

MESSAGES = [Message(role="user", content="Hello?")]
SCHEMA = {"type": "object", "properties": {"question": {"type": "string"}}}


def asked(llm: FakeLlm, model: ChatModel) -> list[str]:
    """The forms that are asked for until a reply comes."""
    told: list[Tokens] = []
    before = len(llm.requests)
    model.complete(MESSAGES, 50, 20, form=ReplyForm(schema=SCHEMA, usage=told.append))
    return [form_of(request) for request in llm.requests[before:]]


def form_of(request: dict[str, Any]) -> str:
    """The form of reply that a request asks for, with a plus if it asks for the tokens, too."""
    form = request.get("response_format", {"type": "text"})["type"]
    return f"{form}+" if "stream_options" in request else str(form)


def refuses(*options: str) -> Any:
    """An endpoint that refuses each request in whose form one of these stands."""
    return lambda request: (
        Reply(status=400) if any(option in form_of(request) for option in options) else Reply()
    )


def test_an_endpoint_is_asked_for_the_schema(llm: FakeLlm, model: ChatModel) -> None:
    assert asked(llm, model) == ["json_schema+"]
    assert llm.requests[0]["response_format"]["json_schema"]["schema"] == SCHEMA


@pytest.mark.parametrize(
    ("refused", "taken"),
    [
        (["json_schema"], "json_object+"),
        (["json"], "text+"),
        (["+"], "json_schema"),
        (["json_schema", "+"], "json_object"),
        (["json", "+"], "text"),
    ],
)
def test_an_endpoint_that_refuses_a_form_is_asked_for_less_and_so_from_then_on(
    llm: FakeLlm, model: ChatModel, refused: list[str], taken: str
) -> None:
    llm.answer = refuses(*refused)
    first = asked(llm, model)
    assert (first[0], first[-1]) == ("json_schema+", taken)
    assert asked(llm, model) == [taken]


def test_what_is_refused_in_every_form_fails_and_the_form_stays(llm: FakeLlm, model: ChatModel) -> None:
    llm.answer = lambda _: Reply(status=400)
    with pytest.raises(ModelError) as raised:
        asked(llm, model)
    assert raised.value.http_status == 400
    llm.answer = None
    assert asked(llm, model) == ["json_schema+"]


def test_a_reply_in_text_is_asked_for_without_a_form(llm: FakeLlm, model: ChatModel) -> None:
    model.complete(MESSAGES, 50, 20)
    assert form_of(llm.requests[0]) == "text"

"""The benchmarks of the chat run at their smallest size and print their figures; how fast is not asserted."""

import asyncio
import re

import click
from click.testing import CliRunner

from benchmarks import chat, leavers, widget
from benchmarks.paced_model import Pace, PacedModel, sent_at
from benchmarks.visitors import ChatRecord, ask

QUICK = Pace(rephrase=0, first_token=0, between=0, tokens=3)


def printed(command: click.Command, *arguments: str) -> str:
    """The output of a run that must succeed."""
    result = CliRunner().invoke(command, arguments, catch_exceptions=False)
    assert result.exit_code == 0, result.output
    return result.output


def test_chats_are_measured_against_a_bare_relay_and_for_what_they_leave() -> None:
    output = printed(
        chat.main, "--visitors", "2", "--rounds", "1", "--tokens", "4", "--warm-up", "1", "--short", "2"
    )
    assert len(re.findall(r"^2 chats, .* 0 of \d, .* by the relay 0 of \d,", output, re.MULTILINE)) == 2
    assert len(re.findall(r"^  until started +p50 [\d.]+ ms", output, re.MULTILINE)) == 2
    assert len(re.findall(r"^  the delay against the relay's, p50 +[\d.]+ x$", output, re.MULTILINE)) == 2
    assert re.search(r"^2 short chats: not answered +0 of 2, ", output, re.MULTILINE)
    assert re.search(r"^  memory before and after +\d+ MB, \d+ MB", output, re.MULTILINE)


def test_the_model_stops_for_visitors_who_leave_and_their_places_are_free() -> None:
    output = printed(leavers.main, "--trials", "3", "--at-once", "3", "--hurry", "10")
    assert re.search(r"^stopped within 6 s +\d of 3$", output, re.MULTILINE)
    assert re.search(r"^answers kept as +\w+", output, re.MULTILINE)
    assert re.search(r"^places that are free afterwards +3 of 3$", output, re.MULTILINE)


def test_the_widget_is_measured_in_a_browser() -> None:
    output = printed(widget.main, "--tokens", "50", "--loads", "1")
    assert re.search(r"^sent to a page that asks nothing, gzip +[\d,]+ bytes$", output, re.MULTILINE)
    assert (
        len(re.findall(r"^long tasks, .* characters\)$", output, re.MULTILINE)) == 2
        or "not measured" in output
    )


def test_the_models_tokens_tell_when_they_were_sent_and_its_calls_when_they_ended() -> None:
    async def record_and_calls() -> tuple[ChatRecord, PacedModel]:
        async with PacedModel(QUICK) as model:
            body = {"messages": [{"role": "user", "content": "Ferry?"}], "max_tokens": 10}
            return await ask(f"{model.base_url}/chat/completions", body, ChatRecord()), model

    record, model = asyncio.run(record_and_calls())
    assert record.is_answered
    assert len(record.delays) == QUICK.tokens
    assert all(0 <= delay < 10 for delay in record.delays)
    assert [call.prompt for call in model.calls] == ["Ferry?"]
    assert sent_at("of 12.345678, not 1.5") == [12.345678]


def test_a_token_is_counted_once_though_the_end_repeats_the_answer() -> None:
    record = ChatRecord()
    for line in ("event: delta", 'data: {"text": "12.345678"}', "event: done", 'data: {"text": "12.345678"}'):
        record.note(line)
    assert len(record.delays) == 1

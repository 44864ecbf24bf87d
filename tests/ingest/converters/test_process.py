"""The converting child: what it gives, and that nothing a page does to it reaches the next page."""

import os
import signal
import subprocess
import sys
import threading
import time
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from dataclasses import replace
from pathlib import Path

import pytest

from ingest import registry
from ingest.converters import frames
from ingest.converters.process import ConverterProcess
from ingest.errors import PageError, PluginError
from ingest.types import FIELDS, FieldName, MediaType, PageRef, RawField, RawPage

FAULTY = {"faulty": "tests.ingest.converters.faulty:FaultyConverter"}
MEMORY_BYTES = 256 * 1024**2


def page(text: str, media_type: MediaType = "text/plain", **others: str) -> RawPage:
    """A page with ``text`` as content and plain other fields."""
    fields: dict[FieldName, RawField] = {"content": RawField(text=text, media_type=media_type)}
    for name, other in others.items():
        fields[name] = RawField(text=other, media_type="text/plain")  # type: ignore[index]
    return RawPage(
        ref=PageRef(source="s", id="p", language="en"),
        document="p",
        url="https://example.org/a/",
        fields=fields,
    )


@pytest.fixture(scope="module")
def faulty() -> Iterator[ConverterProcess]:
    with ConverterProcess(timeout=20.0, memory_bytes=MEMORY_BYTES, converters=FAULTY) as process:
        yield process


def wait_until_gone(pid: int) -> None:
    """Return once the process is no more, a zombie counting as gone; fail after 20 s."""
    status, deadline = Path(f"/proc/{pid}/stat"), time.monotonic() + 20
    while status.exists() and status.read_text("ascii").rpartition(")")[2].split()[0] != "Z":
        assert time.monotonic() < deadline, f"process {pid} still runs"
        time.sleep(0.05)


def test_all_fields_are_converted_and_empty_ones_left_out() -> None:
    raw = page(
        '<p>Go <a href="b">there</a>&#8203;</p>', "text/html", title="A\x00 title", description=" \n", name=""
    )
    with ConverterProcess() as process:
        assert process.convert(raw) == {"content": "Go [there](https://example.org/a/b)", "title": "A title"}
        assert process.convert(page("", "text/html")) == {}


@pytest.mark.parametrize(
    ("media_type", "text", "line"),
    [
        ("text/html", "Hunde &amp;\n<b>Katzen</b>", "Hunde & Katzen"),
        ("application/xhtml+xml", "Hunde &amp; <b>Katzen</b>", "Hunde & Katzen"),
        ("text/plain", "a <b>b</b>\n\u3000&amp; AT&T", "a <b>b</b> &amp; AT&T"),
        ("text/markdown", "Dogs\n<b>and</b> cats", "Dogs and cats"),
    ],
)
def test_other_fields_than_the_content_become_one_line_of_text(
    media_type: MediaType, text: str, line: str
) -> None:
    fields: dict[FieldName, RawField] = {
        name: RawField(text=text, media_type=media_type) for name in FIELDS if name != "content"
    }
    with ConverterProcess() as process:
        assert process.convert(replace(page(""), fields=fields)) == dict.fromkeys(fields, line)


def test_each_media_type_goes_to_the_converter_that_accepts_it() -> None:
    texts: list[tuple[MediaType, str]] = [
        ("text/html", "<h1>x</h1>"),
        ("application/xhtml+xml", "<h1>x</h1><br/>"),
        ("text/markdown", "# x <br>"),
        ("text/plain", "# x"),
    ]
    with ConverterProcess() as process:
        assert [process.convert(page(text, kind))["content"].rstrip() for kind, text in texts] == ["# x"] * 4


def test_versions_name_every_registered_converter() -> None:
    process = ConverterProcess()
    assert list(process.versions) == registry.names("converters")
    assert ConverterProcess(converters=FAULTY).versions == {"faulty": "faulty-1"}


def test_a_page_that_takes_too_long_is_given_up_and_the_next_one_converted() -> None:
    with ConverterProcess(timeout=0.5, converters=FAULTY) as process:
        before = int(process.convert(page("process"))["content"])
        start = time.monotonic()
        with pytest.raises(PageError, match=r"longer than 0\.5 s") as raised:
            process.convert(page("hang"))
        assert raised.value.reason == "timeout"
        assert time.monotonic() - start < 10
        wait_until_gone(before)
        assert int(process.convert(page("process"))["content"]) != before


@pytest.mark.parametrize(
    ("text", "reason", "message"),
    [
        ("die", "invalid", "failed on the page: exit status -11"),
        ("exit", "invalid", "failed on the page: exit status 3"),
        ("break", "invalid", "failed on the page: RuntimeError: the parser is broken"),
        ("refuse", "unsupported", "part 2: no such {thing} here"),
        ("grow", "too_large", "needs more than 268 MB of memory"),
        ("be killed", "too_large", "needs more than 268 MB of memory"),
    ],
)
def test_a_page_that_breaks_its_converter_fails_with_a_reason_and_the_next_is_converted(
    faulty: ConverterProcess, text: str, reason: str, message: str
) -> None:
    with pytest.raises(PageError, match=message) as raised:
        faulty.convert(page(text))
    assert raised.value.reason == reason
    assert "\n" not in str(raised.value)
    assert faulty.convert(page("fine")) == {"content": "fine"}


def test_a_page_that_no_converter_accepts_is_unsupported(faulty: ConverterProcess) -> None:
    with pytest.raises(PageError, match="there is no converter for text/html; known: faulty") as raised:
        faulty.convert(page("<p>x", "text/html"))
    assert raised.value.reason == "unsupported"
    assert raised.value.template == "there is no converter for {kind}; known: {names}"
    assert raised.value.values == {"kind": "text/html", "names": "faulty"}


def test_what_a_converter_prints_does_not_disturb_its_answers(faulty: ConverterProcess) -> None:
    assert faulty.convert(page("print")) == {"content": "print"}


def test_a_child_that_died_between_two_pages_is_replaced(faulty: ConverterProcess) -> None:
    child = int(faulty.convert(page("process"))["content"])
    os.kill(child, signal.SIGKILL)
    os.waitid(os.P_PID, child, os.WEXITED | os.WNOWAIT)  # all its threads are gone, and it is not reaped
    assert faulty.convert(page("fine")) == {"content": "fine"}


def test_lone_surrogates_and_ten_megabytes_pass_through_the_pipes(faulty: ConverterProcess) -> None:
    text = "\ud800" + "ä" * 5_000_000
    assert faulty.convert(page(text)) == {"content": text[1:]}


def test_threads_get_each_the_answer_to_their_own_page(faulty: ConverterProcess) -> None:
    texts = [f"page {number}" for number in range(64)]
    with ThreadPoolExecutor(8) as threads:
        answers = list(threads.map(lambda text: faulty.convert(page(text))["content"], texts))
    assert answers == texts


def test_an_interrupted_page_does_not_leave_its_answer_to_the_next() -> None:
    with ConverterProcess(timeout=20.0, converters=FAULTY) as process:
        child = int(process.convert(page("process"))["content"])
        main = threading.main_thread().ident
        assert main is not None
        threading.Timer(0.3, signal.pthread_kill, (main, signal.SIGINT)).start()
        with pytest.raises(KeyboardInterrupt):
            process.convert(page("hang"))
        wait_until_gone(child)
        assert process.convert(page("fine")) == {"content": "fine"}


def test_closing_ends_the_child_and_a_later_page_starts_another() -> None:
    process = ConverterProcess(converters=FAULTY)
    child = int(process.convert(page("process"))["content"])
    process.close()
    with pytest.raises(ProcessLookupError):
        os.kill(child, 0)
    assert process.convert(page("fine")) == {"content": "fine"}
    process.close()
    process.close()


@pytest.mark.parametrize("factory", ["no.such.module:Factory", "tests.ingest.converters.faulty:Missing"])
def test_a_converter_that_cannot_be_loaded_is_not_blamed_on_the_page(factory: str) -> None:
    with (
        ConverterProcess(converters={"lost": factory}) as process,
        pytest.raises(PluginError, match="'lost'"),
    ):
        process.convert(page("fine"))


@pytest.mark.parametrize("work", ["idle", "hang"])
def test_no_child_outlives_a_killed_parent(work: str) -> None:
    program = f"""
import threading
from ingest.converters import frames, process
from tests.ingest.converters.test_process import FAULTY, page
process.GRACE_SECONDS = 0.5
converter = process.ConverterProcess(timeout=0.5 if {work!r} == "hang" else 60, converters=FAULTY)
child = converter.convert(page("process"))["content"]
field = {{"text": {work!r}, "media_type": "text/plain"}}
frames.write(converter._child._process.stdin, {{"url": "", "fields": {{"content": field}}}})
print(child, flush=True)
threading.Event().wait()
"""
    parent = subprocess.Popen([sys.executable, "-c", program], stdout=subprocess.PIPE, text=True)
    assert parent.stdout is not None
    child = int(parent.stdout.readline())
    parent.kill()
    parent.wait()
    parent.stdout.close()
    wait_until_gone(child)


def test_frames_end_where_the_other_side_ends(tmp_path: Path) -> None:
    path = tmp_path / "frames"
    with path.open("wb") as out:
        frames.write(out, {"a": "ä\ud800"})
        frames.write(out, {"b": 1})
    whole = path.read_bytes()
    path.write_bytes(whole[:-1])
    with path.open("rb") as source:
        assert frames.read(source) == {"a": "ä\ud800"}
        assert frames.read(source) is None


def test_a_real_page_that_needs_too_much_memory_is_too_large_and_the_next_is_converted() -> None:
    with ConverterProcess(memory_bytes=32 * 1024**2) as process:
        with pytest.raises(PageError) as raised:
            process.convert(page("<p>Some <b>bold</b> text.</p>" * 100_000, "text/html"))
        assert raised.value.reason == "too_large"
        assert process.convert(page("<p>fine", "text/html")) == {"content": "fine"}

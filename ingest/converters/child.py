"""The converter process: ``python -m ingest.converters.child SECONDS BYTES [NAME=MODULE:FACTORY ...]``.

It reports once that it is ready (or why not), then answers requests one by one until its input ends. It may
allocate ``BYTES`` of memory beyond those it needs to start. It ends itself ``SECONDS`` after the start of a
request, even inside C code and without a parent. A converter's unexpected error ends it, too, with the
traceback on standard error for the parent.
"""

import gc
import os
import resource
import signal
import sys
from collections.abc import Mapping
from pathlib import Path
from typing import IO, Final

from ingest.converters import catalogue, frames
from ingest.documents import PAGE_MARK
from ingest.errors import AuskunftError, PageError
from ingest.html.line import to_line
from ingest.protocols import Converter
from ingest.text import visible
from ingest.types import FieldName, RawField

OUT_OF_MEMORY: Final = 70
"""Exit status of a child that could not allocate the memory for a page."""


def main(arguments: list[str]) -> int:
    """Answer requests from standard input until it ends; return the exit status."""
    seconds, memory_bytes, *factories = arguments
    signal.signal(signal.SIGINT, signal.SIG_IGN)  # Ctrl-C is for the parent; when it ends, our input ends
    requests, answers = sys.stdin.buffer, _private_output()
    try:
        converters = catalogue.load(dict(factory.split("=", 1) for factory in factories) or None)
    except AuskunftError as error:
        frames.write(answers, {"error": str(error)})
        return error.exit_code
    _limit_memory(int(memory_bytes))
    frames.write(answers, {"ready": True})
    try:
        while request := frames.read(requests):
            signal.setitimer(signal.ITIMER_REAL, float(seconds))
            frames.write(answers, _answer(converters, request))
            signal.setitimer(signal.ITIMER_REAL, 0)
    except (MemoryError, SystemError):  # lxml reports a failed allocation as either
        return OUT_OF_MEMORY
    return 0


def _private_output() -> IO[bytes]:
    """Reserve standard output for frames: a converter's prints go to standard error."""
    private = os.fdopen(os.dup(sys.stdout.fileno()), "wb")
    os.dup2(sys.stderr.fileno(), sys.stdout.fileno())
    return private


def _limit_memory(extra_bytes: int) -> None:
    try:
        pages = int(Path("/proc/self/statm").read_text("ascii").split()[0])
    except OSError:
        return  # only Linux can limit the address space in a useful way
    limit = pages * resource.getpagesize() + extra_bytes
    resource.setrlimit(resource.RLIMIT_AS, (limit, limit))


def _answer(converters: Mapping[str, Converter], request: frames.Frame) -> frames.Frame:
    try:
        fields = {
            name: _visible(_text(converters, name, RawField(**field), request["url"]))
            for name, field in request["fields"].items()
        }
    except PageError as error:
        return _failure(error)
    return {"fields": {name: text for name, text in fields.items() if text.strip()}}


def _failure(error: PageError) -> frames.Frame:
    """Return the error for the parent: template and values, or the finished message if JSON cannot hold a
    value."""
    if all(isinstance(value, str | int | float) for value in error.values.values()):
        return {"reason": error.reason, "template": error.template, "values": error.values}
    return {"reason": error.reason, "template": str(error), "values": {}}


def _visible(text: str) -> str:
    """Remove invisible characters, but keep the marks between the pages of a document."""
    return PAGE_MARK.join(map(visible, text.split(PAGE_MARK)))


def _text(converters: Mapping[str, Converter], name: FieldName, field: RawField, url: str) -> str:
    """Return the content as Markdown, another field as one line of text."""
    if name == "content":
        return _convert(converters, field, url)
    return to_line(field.text) if field.is_html else " ".join(_convert(converters, field, url).split())


def _convert(converters: Mapping[str, Converter], field: RawField, url: str) -> str:
    for converter in converters.values():
        if converter.accepts(field):
            return converter.convert(field, url)
    raise PageError(
        "unsupported",
        "there is no converter for {kind}; known: {names}",
        kind=field.media_type,
        names=", ".join(converters),
    )


if __name__ == "__main__":
    status = main(sys.argv[1:])
    gc.freeze()  # otherwise the interpreter visits every object once more at exit, and the parent waits
    sys.exit(status)

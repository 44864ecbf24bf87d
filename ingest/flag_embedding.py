"""Loads BGE models through FlagEmbedding, for the embedder and the reranker."""

import re
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import Any, Final, Literal

from ingest.errors import PluginError
from ingest.idle_threads import let_idle_threads_sleep
from ingest.memory import memory_limit
from ingest.packages import require

PACKAGES: Final = ("FlagEmbedding",)
EXTRA: Final = "bge"

BATCH_CHARACTERS: Final = 16_384
"""The most characters of a batch, its texts padded to the longest: 16 chunks of a website, or two long
articles of law. So a batch takes some hundred megabytes, however long its texts are."""

PROCESS_BYTES: Final = 1_000_000_000
"""Memory of an embedding process without the weights: libraries, tokenizer and a batch; measured in
docs/deployment.md."""

_HUB_NAME: Final = re.compile(r"[\w-][\w.-]*(/[\w.-]+)?")
_TOKENIZERS: Final = ("tokenizer.json", "sentencepiece.bpe.model")
_WEIGHTS: Final = ("model*.safetensors", "pytorch_model*.bin")
_LFS_POINTER: Final = b"version https://git-lfs"

Kind = Literal["BGEM3FlagModel", "FlagReranker"]


class FlagModel:
    """A model and its tokenizer on one device. ``kind``: FlagEmbedding's class; ``plugin``: for messages.

    ``name``: a folder, or a name on the Hugging Face hub; ``device``: chosen automatically if empty.
    ``fp16``: half precision, except on CPUs, which compute it slowly or not at all.
    Raises ``PluginError`` if the package, the model or the device is missing.
    """

    def __init__(self, kind: Kind, plugin: str, name: str, *, device: str, fp16: bool) -> None:
        require(plugin, PACKAGES, EXTRA)
        loaded = _load(kind, plugin, name, device, fp16)
        self.device: str = loaded.target_devices[0]
        self.tokenizer: Any = loaded.tokenizer
        self.model: Any = _moved(loaded.model.eval(), plugin, self.device)
        if fp16 and self.device != "cpu":
            self.model.half()
        else:
            self.model.float()


def check_model(plugin: str, origin: str, name: str, files: Sequence[str], *, processes: int) -> None:
    """Check that a model can be loaded, without loading it: its folder has weights and ``files``, and there
    is memory for ``processes``, which share the weights. ``origin``: its name on the hub, for messages. If
    ``name`` is a name on the hub, nothing is checked.

    Raises ``PluginError`` with a remedy.
    """
    folder = Path(name)
    if not folder.exists() and _HUB_NAME.fullmatch(name):
        return
    try:
        weights = _weights(folder, files)
    except _IncompleteError as error:
        raise PluginError(
            f"{plugin} cannot use the folder {name}: {error}; fetch the model with `hf download {origin} "
            '--exclude "onnx/*" --local-dir FOLDER` (in containers BGE_M3_FOLDER in .env)'
        ) from error
    except OSError as error:
        raise PluginError(
            f"{plugin} cannot read {error.filename}: {error.strerror}; make it readable for everyone"
        ) from error
    _check_memory(plugin, weights, processes)


def batches(texts: Sequence[str], most: int) -> Iterator[list[int]]:
    """Yield batches as positions in ``texts``: at most ``most`` texts, and at most ``BATCH_CHARACTERS`` with
    padding. Texts of similar length share a batch, because they need little padding."""
    batch: list[int] = []
    for position in sorted(range(len(texts)), key=lambda position: len(texts[position])):
        padded = (len(batch) + 1) * len(texts[position])
        if batch and (len(batch) == most or padded > BATCH_CHARACTERS):
            yield batch
            batch = []
        batch.append(position)
    if batch:
        yield batch


class _IncompleteError(Exception):
    """A folder does not contain a complete model."""


def _weights(folder: Path, files: Sequence[str]) -> int:
    """Return the size of the weights in bytes. Raises ``_IncompleteError`` and ``OSError``."""
    there = {path.name for path in folder.iterdir()} if folder.is_dir() else None
    if not there:
        raise _IncompleteError("there is none" if there is None else "it is empty")
    lacking = [file for file in ("config.json", *files) if file not in there]
    if not there.intersection(_TOKENIZERS):
        lacking.append(_TOKENIZERS[0])
    found = next(filter(None, (sorted(folder.glob(pattern)) for pattern in _WEIGHTS)), [])
    if not found:
        lacking.append("pytorch_model.bin")
    if lacking:
        raise _IncompleteError(f"it has no {', no '.join(lacking)}")
    for path in found:
        with path.open("rb") as file:
            start = file.read(len(_LFS_POINTER))
        if start in (b"", _LFS_POINTER):
            raise _IncompleteError(f"{path.name} holds no weights")
    return sum(path.stat().st_size for path in found)


def _check_memory(plugin: str, weights: int, processes: int) -> None:
    needed, limit = weights + processes * PROCESS_BYTES, memory_limit()
    if needed > limit:
        noun = "process needs" if processes == 1 else "processes need"
        raise PluginError(
            f"{processes} {noun} {needed / 1e9:.1f} GB of memory with {plugin}, and there are "
            f"{limit / 1e9:.1f}: raise the limit (mem_limit), or lower --concurrency of `auskunft worker`"
        )


def _load(kind: Kind, plugin: str, name: str, device: str, fp16: bool) -> Any:
    let_idle_threads_sleep()
    import FlagEmbedding  # noqa: PLC0415  the extra `bge` may be absent
    from transformers.utils.logging import disable_progress_bar  # noqa: PLC0415  comes with it

    disable_progress_bar()
    try:
        return getattr(FlagEmbedding, kind)(name, devices=device or None, use_fp16=fp16)
    except Exception as error:  # the hub's errors and torch's have no other common class
        raise PluginError(
            f"{plugin} cannot load {name!r}: {_reason(error)}; give the model's folder as option 'model', "
            "or give this machine access to the Hugging Face hub once"
        ) from error


def _moved(model: Any, plugin: str, device: str) -> Any:
    try:
        return model.to(device)
    except (AssertionError, RuntimeError) as error:  # an assertion if torch was built without that device
        raise PluginError(
            f"{plugin} cannot use {device!r}: {_reason(error)}; "
            "set its option 'device' to 'cpu', or leave it out"
        ) from error


def _reason(error: Exception) -> str:
    return str(error).strip().partition("\n")[0] or type(error).__name__

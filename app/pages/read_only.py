"""Opens SQLite files that this user may only read, as in a data folder that is mounted read-only.

A file in WAL mode needs two companion files, even to be read; without them it can only be opened as
immutable.
"""

import os
from pathlib import Path

_EFFECTIVE = os.access in os.supports_effective_ids


def read_only_mode(path: Path) -> str:
    """Return the parameters for the file's SQLite URI; "" if it can be written or does not exist."""
    logs = [log for suffix in ("-wal", "-journal") if (log := path.with_name(path.name + suffix)).exists()]
    if not path.exists() or (_is_writable(path) and (logs or _is_writable(path.parent))):
        return ""
    return "mode=ro" if logs else "mode=ro&immutable=1"


def _is_writable(path: Path) -> bool:
    return os.access(path, os.W_OK, effective_ids=_EFFECTIVE)

"""Presets that the package does not have."""

from pathlib import Path
from typing import Final

RERANKING: Final = "reranking"
"""The preset ``default``, reranking its first 20 pages."""


def write_reranking_preset(folder: Path) -> Path:
    """Make ``folder`` with ``RERANKING`` in it, for the setting ``presets``. Returns it."""
    folder.mkdir()
    (folder / f"{RERANKING}.toml").write_text('extends = "default"\n[question.rerank]\ncandidates = 20\n')
    return folder

"""Presets that the package does not have."""

from importlib.resources import files
from pathlib import Path
from typing import Final

import pytest

import app.presets

RERANKING: Final = "reranking"
"""The preset ``default``, reranking its first 20 pages."""


def add_reranking_preset(folder: Path, patch: pytest.MonkeyPatch) -> None:
    """Have the presets in ``folder``, with ``RERANKING`` among them."""
    folder.mkdir()
    for entry in files(app.presets).iterdir():
        if entry.name.endswith(".toml"):
            (folder / entry.name).write_text(entry.read_text("utf-8"), "utf-8")
    default = (folder / "default.toml").read_text("utf-8")
    (folder / f"{RERANKING}.toml").write_text(f"{default}\n[question.rerank]\ncandidates = 20\n", "utf-8")
    patch.setattr(app.presets, "files", lambda _package: folder)

"""An installation that tells the energy of its answers, on a machine with such counters as a test wants."""

import shutil
from functools import partial
from pathlib import Path
from typing import Any

import pytest

from app.features.energy.setup import make_setup
from app.services import Services
from app.settings.settings import Settings
from app.settings.sites import SiteSettings
from tests.app.features.energy.counters import add_zone, write_meminfo

SITES = [SiteSettings(key="town", energy=True, retention_days=12), SiteSettings(key="plain")]


def installation(
    settings: Settings,
    indexed: Path,
    folder: Path,
    monkeypatch: pytest.MonkeyPatch,
    *,
    has_counters: bool = True,
    **changes: Any,
) -> Services:
    """Services over a copy of ``indexed``; the processor's counter never moves, the memory takes 1.5 W."""
    if has_counters:
        add_zone(folder / "powercap", "intel-rapl:0", "package-0", 1)
    meminfo = write_meminfo(folder / "meminfo", total_gb=8, available_gb=4)
    read = partial(make_setup, powercap=folder / "powercap", meminfo=meminfo)
    monkeypatch.setattr("app.features.energy.services.read_setup", read)
    data = shutil.copytree(indexed, folder / "data")
    return Services(settings.model_copy(update={"data": data, "sites": SITES, **changes}))

"""Stand-ins for NVIDIA's libraries, which torch's wheel for Linux links to: gigabytes that nothing calls
without a graphics processor. ``python -m tests.services.cuda`` puts them beside the installed torch."""

import ctypes
import re
import subprocess
from collections import defaultdict
from collections.abc import Iterable, Mapping
from importlib.util import find_spec
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Final

DRIVER: Final = "libcuda.so.1"
"""Not replaced: without it torch knows that there is no graphics processor."""
STAND_IN: Final = "libabsent.so"
SYMBOL: Final = re.compile(r"(?:cu|nccl|nv)\w*")


def main() -> None:
    """Make one library in which every call fails, under the names of all that are absent."""
    torch = find_spec("torch")
    assert torch is not None
    assert torch.origin is not None
    folder = Path(torch.origin).parent / "lib"
    installed = [*folder.glob("lib*.so*"), *folder.parents[1].glob("nvidia/*/lib/lib*.so*")]
    names = {name for file in installed for name in _needed(file)}
    absent = {name for name in names - {DRIVER, *(file.name for file in installed)} if not _on_system(name)}
    if not absent:
        return
    undefined = {symbol for file in installed for symbol in _symbols(file, "--undefined-only")}
    defined = {symbol.partition("@")[0] for file in installed for symbol in _symbols(file, "--defined-only")}
    _build(folder / STAND_IN, _by_version(undefined, defined))
    for name in absent:
        (folder / name).symlink_to(STAND_IN)


def _needed(file: Path) -> list[str]:
    return re.findall(r"NEEDED\s+(\S+)", _output("objdump", "--private-headers", str(file)))


def _on_system(name: str) -> bool:
    try:
        ctypes.CDLL(name)
    except OSError:
        return False
    return True


def _symbols(file: Path, which: str) -> list[str]:
    """Those of NVIDIA's C libraries, as ``name`` or ``name@version``."""
    listed = _output("nm", "--dynamic", "--format=posix", "--with-symbol-versions", which, str(file))
    return [line.split()[0] for line in listed.splitlines() if SYMBOL.match(line)]


def _by_version(undefined: Iterable[str], defined: set[str]) -> dict[str, list[str]]:
    """The names that nothing defines, by the version under which they are looked for, which may be empty."""
    names = defaultdict(list)
    for symbol in sorted(undefined):
        name, _, version = symbol.partition("@")
        if name not in defined:
            names[version].append(name)
    return names


def _build(library: Path, names: Mapping[str, list[str]]) -> None:
    with TemporaryDirectory() as folder:
        source, versions = Path(folder, "absent.c"), Path(folder, "absent.map")
        source.write_text(
            "".join(f"int {each}(void) {{ return 1; }}\n" for own in names.values() for each in own)
        )
        versions.write_text("".join(f"{key} {{ {'; '.join(own)}; }};\n" for key, own in names.items() if key))
        _output(
            "gcc",
            "-shared",
            "-fPIC",
            "-nostdlib",
            f"-Wl,--version-script={versions}",
            "-o",
            str(library),
            str(source),
        )


def _output(*command: str) -> str:
    return subprocess.run(command, capture_output=True, text=True, check=True).stdout


if __name__ == "__main__":
    main()

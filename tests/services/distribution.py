"""Elasticsearch's smallest distribution, from Maven Central, with the analyzers that it lacks.

The distribution for integration tests has no language analyzers; a stable plugin, compiled from
``language_plugin/``, brings Lucene's back. What is ready stays in ``.services/``, for all processes.
"""

import fcntl
import hashlib
import shutil
import subprocess
import zipfile
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Final

from tests.services import MissingServiceError, jdk

CACHE: Final = Path(__file__).parents[2] / ".services"
PLUGIN_SOURCE: Final = Path(__file__).with_name("language_plugin")
MINIMUM_JAVA: Final = {8: 17, 9: 21}
_COPY: Final = "org.apache.maven.plugins:maven-dependency-plugin:3.8.1:copy"
_ARTIFACT: Final = "org.elasticsearch.distribution.integ-test-zip:elasticsearch:{version}:zip"
_DESCRIPTOR: Final = """\
name=language
description=Language analyzers for the tests
version=1
elasticsearch.version={version}
java.version={java}
"""


@dataclass(frozen=True, slots=True, kw_only=True)
class Distribution:
    """An unpacked Elasticsearch with the plugin, only to be read, and the Java to run it with."""

    home: Path
    java_home: Path


def distribution(version: str) -> Distribution:
    """Elasticsearch ``version``, downloaded and prepared unless an earlier call did so."""
    minimum = minimum_java(version)
    java_home = jdk.lowest(minimum)
    home = CACHE / f"elasticsearch-{version}-{_plugin_hash()}"
    with _lock():
        if not home.exists():
            with _empty_folder() as folder:
                prepared = _unpack(_download(version, folder, java_home), folder)
                _install_plugin(prepared, version, java_home, minimum)
                _make_readable(prepared)
                prepared.rename(home)
    return Distribution(home=home, java_home=java_home)


def minimum_java(version: str) -> int:
    """The major version of Java that this Elasticsearch needs."""
    try:
        return MINIMUM_JAVA[int(version.partition(".")[0])]
    except (KeyError, ValueError):
        known = ", ".join(f"{major}.x" for major in MINIMUM_JAVA)
        raise ValueError(f"unknown Elasticsearch version {version!r}: the tests know {known}") from None


def _plugin_hash() -> str:
    """Changes with the plugin's source, so that nobody runs an outdated one."""
    content = b"".join(path.read_bytes() for path in sorted(PLUGIN_SOURCE.iterdir()))
    return hashlib.sha256(content + _DESCRIPTOR.encode()).hexdigest()[:8]


@contextmanager
def _lock() -> Iterator[None]:
    """One process prepares, the others wait."""
    CACHE.mkdir(exist_ok=True)
    with (CACHE / "lock").open("w") as file:
        fcntl.flock(file, fcntl.LOCK_EX)
        yield


@contextmanager
def _empty_folder() -> Iterator[Path]:
    """A folder for what is not ready; one that a killed process left is emptied."""
    folder = CACHE / "partial"
    shutil.rmtree(folder, ignore_errors=True)
    folder.mkdir()
    yield folder
    shutil.rmtree(folder)


def _download(version: str, folder: Path, java_home: Path) -> Path:
    maven = shutil.which("mvn")
    if maven is None:
        raise MissingServiceError(
            "Elasticsearch cannot be downloaded, mvn is not installed: apt-get install maven"
        )
    artifact = _ARTIFACT.format(version=version)
    command = [maven, "--batch-mode", _COPY, f"-Dartifact={artifact}"]
    done = subprocess.run(
        [*command, f"-DoutputDirectory={folder}"],
        cwd=folder,
        stdin=subprocess.DEVNULL,
        capture_output=True,
        text=True,
        check=False,
    )
    if done.returncode:
        errors = [line for line in done.stdout.splitlines() if line.startswith("[ERROR]")]
        reason = errors[0] if errors else done.stderr.strip()
        raise MissingServiceError(
            f"mvn could not download {artifact}, check the network and the version: {reason}"
        )
    return folder / f"elasticsearch-{version}.zip"


def _unpack(archive: Path, folder: Path) -> Path:
    with zipfile.ZipFile(archive) as file:
        file.extractall(folder)
    archive.unlink()
    return folder / archive.stem


def _install_plugin(home: Path, version: str, java_home: Path, minimum_java: int) -> None:
    plugin = home / "plugins/language"
    plugin.mkdir(parents=True)
    classes = home.parent / "classes"
    sources = sorted(PLUGIN_SOURCE.glob("*.java"))
    compiler: list[str | Path] = [
        java_home / "bin/javac",
        "--release",
        str(minimum_java),
        "-encoding",
        "UTF-8",
    ]
    subprocess.run([*compiler, "-cp", home / "lib/*", "-d", classes, *sources], check=True)
    subprocess.run(
        [java_home / "bin/jar", "--create", "--file", plugin / "language.jar", "-C", classes, "."], check=True
    )
    descriptor = _DESCRIPTOR.format(version=version, java=minimum_java)
    (plugin / "stable-plugin-descriptor.properties").write_text(descriptor, "utf-8")
    shutil.copy(PLUGIN_SOURCE / "named_components.json", plugin)


def _make_readable(home: Path) -> None:
    """The server runs as another user where the tests run as root, and zipfile drops the modes."""
    home.chmod(0o755)
    for path in home.rglob("*"):
        path.chmod(0o755 if path.is_dir() or path.parent.name == "bin" else 0o644)

"""Stand-ins for the images that the shipped files name, under those names, where no registry can be asked.

Made of Debian's packages, of wheels that the image's own pip chooses, and of the distribution of
Elasticsearch that the other tests run. What takes long to fetch stays in ``.services/``.
"""

import hashlib
import os
import re
import shutil
import subprocess
import tempfile
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from contextlib import contextmanager
from pathlib import Path
from typing import Final

import yaml

from tests.compose.engine import PACKAGES, Engine
from tests.services import MissingServiceError
from tests.services.distribution import CACHE, distribution
from tests.services.elasticsearch import newest

ROOT: Final = Path(__file__).parents[2]
RECIPES: Final = Path(__file__).with_name("standins")
SUITE: Final = "trixie"
PYTHON: Final = ("ca-certificates", "python3", "python3-venv", "python3-pip")
SERVICES: Final = ("ca-certificates", "curl", "postgresql", "redis-server")
EXTRAS: Final = "local,postgres"
PACKAGES_OF_OURS: Final = ("app", "ingest", "mappings", "prompts", "workers")
_CERTIFICATES: Final = "/etc/ssl/certs"
_PIP: Final = "/etc/pip.conf"
_HANDED_IN: Final = re.compile(r"(PIP|SSL)_(?!FIND_LINKS)\w+|(https?|no)_proxy", re.IGNORECASE)


def build(engine: Engine, extras: str = EXTRAS) -> None:
    """Build them all. ``extras``: those of the image that is to be built. Raises ``MissingServiceError``."""
    with ThreadPoolExecutor() as threads:
        python = threads.submit(_python, engine, extras)
        services = threads.submit(_services, engine)
        python.result()
        services.result()


def _python(engine: Engine, extras: str) -> None:
    _import(engine, "python", PYTHON)
    wheels = _wheels(engine, extras)
    first = re.search(r"^FROM (\S+)", (ROOT / "Dockerfile").read_text("utf-8"), re.MULTILINE)
    assert first
    with _folder() as context:
        shutil.copytree(wheels, context / "wheels", copy_function=os.link)
        _build(engine, first[1], "python", context)


def _services(engine: Engine) -> None:
    with ThreadPoolExecutor() as threads:
        fetched = threads.submit(distribution, newest())
        _import(engine, "services", SERVICES)
        elasticsearch = fetched.result()
    named = yaml.safe_load((ROOT / "docker-compose.yml").read_text("utf-8"))["services"]
    for name in ("redis", "postgres", "elasticsearch"):
        with _folder() as context:
            if name == "elasticsearch":
                shutil.copytree(elasticsearch.home, context / "elasticsearch", copy_function=os.link)
                unneeded = shutil.ignore_patterns("jmods", "src.zip", "man")
                shutil.copytree(elasticsearch.java_home, context / "java", ignore=unneeded)
            _build(engine, named[name]["image"], name, context)


def _import(engine: Engine, name: str, packages: tuple[str, ...]) -> None:
    """Make the image ``auskunft-standins/NAME``: a minimal Debian with these packages."""
    key = hashlib.sha256(" ".join((SUITE, *packages)).encode()).hexdigest()[:8]
    archive = CACHE / f"{name}-{key}.tar"
    if not archive.exists():
        if shutil.which("mmdebstrap") is None:
            raise MissingServiceError(f"mmdebstrap is not installed: apt-get install {PACKAGES}")
        with _folder() as folder:
            unfinished = folder / archive.name
            command = ["mmdebstrap", "--variant=minbase", "--quiet", f"--include={','.join(packages)}"]
            done = subprocess.run([*command, SUITE, unfinished], capture_output=True, text=True, check=False)
            if done.returncode:
                reason = done.stderr.strip()[-500:]
                raise MissingServiceError(f"Debian cannot be had for {name}, check the network: {reason}")
            unfinished.rename(archive)
    engine.docker("import", archive, f"auskunft-standins/{name}")


def _wheels(engine: Engine, extras: str) -> Path:
    """The folder of what the image is made of, as its own pip chooses it, with this machine's settings and
    certificates."""
    pins = b"".join((ROOT / name).read_bytes() for name in ("constraints.txt", "pyproject.toml"))
    key = hashlib.sha256(pins + extras.encode()).hexdigest()[:8]
    wheels = CACHE / f"wheels-{key}"
    if wheels.exists():
        return wheels
    files = [path for path in (_CERTIFICATES, _PIP) if Path(path).exists()]
    variables = [name for name in os.environ if _HANDED_IN.match(name)]
    with _folder() as folder:
        for path in ("constraints.txt", "pyproject.toml", "LICENSE", "README.md"):
            shutil.copy(ROOT / path, folder)
        for path in PACKAGES_OF_OURS:
            shutil.copytree(ROOT / path, folder / path)
        engine.docker(
            *("run", "--rm", "--network=host", *(f"--env={name}" for name in variables)),
            *(f"--volume={path}:{path}:ro" for path in files),
            *(f"--volume={folder}:/build", "--workdir=/build", "auskunft-standins/python"),
            *("pip", "download", "--quiet", "--constraint=constraints.txt", "--dest=wheels"),
            *("hatchling", f".[{extras}]"),
        )
        (folder / "wheels").rename(wheels)
    return wheels


@contextmanager
def _folder() -> Iterator[Path]:
    """An empty folder, beside what stays: files are linked into it."""
    CACHE.mkdir(exist_ok=True)
    with tempfile.TemporaryDirectory(prefix="image-", dir=CACHE) as folder:
        yield Path(folder)


def _build(engine: Engine, image: str, recipe: str, context: Path) -> None:
    shutil.copytree(RECIPES / recipe, context, dirs_exist_ok=True)
    engine.docker("build", "--quiet", "--tag", image, context)

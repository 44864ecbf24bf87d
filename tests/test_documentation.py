"""The documentation names what exists: commands, settings, targets of make, files, links."""

import ast
import re
import shlex
from collections.abc import Iterator
from inspect import signature
from pathlib import Path
from typing import Any, Final

import click
import pytest
from pydantic import BaseModel, SecretStr

from app.cli import cli, commands
from app.settings.settings import load_settings
from ingest import registry
from tests.test_architecture import FLOORS

ROOT: Final = Path(__file__).parent.parent
FRONT: Final = [ROOT / "README.md", ROOT / "CONTRIBUTING.md", ROOT / "SECURITY.md"]
GUIDES: Final = [*FRONT, *sorted((ROOT / "docs").glob("*.md"))]
DECISIONS: Final = sorted((ROOT / "docs" / "adr").glob("*.md"))
OF_THE_TESTS: Final = {"REQUIRE_SERVICES"}
"""Variables that are no settings of the product."""

PACKAGES: Final = "app|ingest|workers|mappings|prompts|tests|benchmarks|docs"
PLACEHOLDERS: Final = {"N": "1", "NUMBER": "1", "…": "x"}


def text_of(path: Path) -> str:
    return path.read_text("utf-8")


def calls(text: str) -> Iterator[str]:
    """Every ``auskunft`` call in shell blocks and in backticks, without comments."""
    for block in re.findall(r"^```sh\n(.*?)^```", text, re.M | re.S):
        lines = (re.split(r"#|&|\|", line)[0].strip() for line in block.splitlines())
        yield from (line for line in lines if line.startswith("auskunft "))
    yield from re.findall(r"`(auskunft [^`]+)`", text)


def complaint(call: str) -> str:
    """What is wrong with a call; nothing where the command takes it."""
    _, name, *arguments = (PLACEHOLDERS.get(word, word) for word in shlex.split(call))
    if name.startswith("-") or name == "COMMAND":
        return ""
    command = cli.get_command(click.Context(cli), name)
    if command is None:
        return f"{call!r}: no such command"
    if isinstance(command, click.Group) and arguments and not arguments[0].startswith("-"):
        name, *arguments = arguments
        command = command.get_command(click.Context(command), name)
        if command is None:
            return f"{call!r}: no such command"
    try:
        command.make_context(name, arguments)
    except click.MissingParameter:
        return ""
    except click.ClickException as error:
        return f"{call!r}: {error.message}"
    return ""


def anchors(path: Path) -> set[str]:
    """The addresses of a page's headings."""
    text = re.sub(r"^```.*?^```", "", text_of(path), flags=re.M | re.S)
    titles = (re.sub(r"[^\w\s-]", "", title.lower()) for title in re.findall(r"^#+ (.+)$", text, re.M))
    return {title.strip().replace(" ", "-") for title in titles}


def is_broken(path: Path, link: str) -> bool:
    """True if a relative link of a page leads nowhere."""
    file, _, anchor = link.partition("#")
    target = (path.parent / file).resolve() if file else path
    return not target.exists() or bool(anchor and anchor not in anchors(target))


def names_in(path: Path) -> set[str]:
    """The names that a module defines at any level."""
    tree = ast.walk(ast.parse(text_of(path)))
    defined = (ast.ClassDef, ast.FunctionDef)
    named = {node.name for node in tree if isinstance(node, defined)}
    return named | set(re.findall(r"^(\w+)(?::[^=\n]*)? = ", text_of(path), re.M))


def shown(value: Any) -> str:
    """A default as the page of settings has it."""
    match value:
        case SecretStr():
            return shown(value.get_secret_value())
        case dict() | list():
            return ", ".join(value.values() if isinstance(value, dict) else value) or "none"
        case bool():
            return str(value).lower()
        case float() | int():
            return f"{value:g}" if isinstance(value, float) else str(value)
    return str(value) if value not in (None, "") else "none"


def defaults() -> dict[str, str]:
    """Every setting with its default, as variables name them."""
    found: dict[str, Any] = {}
    settings = load_settings()
    for name in type(settings).model_fields:
        value = getattr(settings, name)
        parts = (
            {f"{name}__{key}": part for key, part in value} if isinstance(value, BaseModel) else {name: value}
        )
        found |= {key.upper(): shown(part) for key, part in parts.items()}
    return found


@pytest.mark.parametrize("path", GUIDES, ids=lambda path: str(path.relative_to(ROOT)))
def test_the_calls_that_are_shown_exist(path: Path) -> None:
    assert [said for said in map(complaint, calls(text_of(path))) if said] == []


@pytest.mark.parametrize("path", GUIDES, ids=lambda path: str(path.relative_to(ROOT)))
def test_the_settings_that_are_named_exist(path: Path) -> None:
    """Besides those of a source, whose name anybody may choose."""
    known = set(defaults()) | {"CONFIG", "CHAT", *OF_THE_TESTS}
    kinds: tuple[registry.Kind, ...] = ("embedders", "rerankers")
    for kind in kinds:
        for name in registry.names(kind):
            options = signature(registry.factory(kind, name)).parameters
            known |= {f"{kind}__{name.replace('-', '_')}__{option}".upper() for option in options}
    named = re.findall(r"\bAUSKUNFT_([A-Z_]*[A-Z])\b", text_of(path))
    assert {name for name in named if not name.startswith("SOURCES__")} <= known


def test_every_setting_is_documented_with_its_default() -> None:
    rows = re.findall(r"^\| `AUSKUNFT_([A-Z_]+)` \| (.*?) \|", text_of(ROOT / "docs" / "settings.md"), re.M)
    documented = {name: re.sub(r"[`]|(?<=\d),(?=\d)", "", default) for name, default in rows}
    assert documented == defaults()


def test_every_option_of_a_website_is_documented_with_its_default() -> None:
    _, _, part = text_of(ROOT / "docs" / "settings.md").partition("### Websites")
    rows = dict(re.findall(r"^\| `([a-z_]+)` \| (.*?) \|", part.partition("\n## ")[0], re.M))
    options = signature(registry.factory("sources", "website")).parameters
    assert set(rows) == set(options) - {"name", "fetcher"}
    assert (rows["max_pages"], rows["follow_links"]) == (f"{options['max_pages'].default:,}", "`false`")


def test_every_command_is_documented() -> None:
    listed = re.findall(r"`auskunft ([a-z-]+)", text_of(ROOT / "docs" / "commands.md"))
    assert set(commands()) <= set(listed)


def test_the_targets_of_make_that_are_named_exist() -> None:
    targets = set(re.findall(r"^([a-z-]+):", text_of(ROOT / "Makefile"), re.M))
    named = {target for path in GUIDES for target in re.findall(r"[`\n]make ([a-z-]+)", text_of(path))}
    assert {"demo", "test", "check"} <= named <= targets


@pytest.mark.parametrize("path", [*GUIDES, *DECISIONS], ids=lambda path: str(path.relative_to(ROOT)))
def test_the_links_lead_somewhere(path: Path) -> None:
    links = re.findall(r"\]\(([^)\s]+)\)", text_of(path))
    assert [link for link in links if "://" not in link and is_broken(path, link)] == []


@pytest.mark.parametrize("path", [*GUIDES, *DECISIONS], ids=lambda path: str(path.relative_to(ROOT)))
def test_the_files_that_are_named_exist(path: Path) -> None:
    named = set(re.findall(rf"`((?:{PACKAGES})/[\w./*-]*)`", text_of(path)))
    assert {name for name in named if not list(ROOT.glob(name.rstrip("/")))} == set()


@pytest.mark.parametrize("path", [*GUIDES, *DECISIONS], ids=lambda path: str(path.relative_to(ROOT)))
def test_the_tests_that_are_named_exist(path: Path) -> None:
    named = set(re.findall(r"`(tests/[\w/]+\.py)::(\w+)`", text_of(path)))
    assert {(file, name) for file, name in named if name not in names_in(ROOT / file)} == set()


def test_the_evaluation_names_a_test_or_command_for_each_of_its_claims() -> None:
    rows = re.findall(
        r"^\| ([^*|].*?) \| (.*) \|$",
        text_of(ROOT / "docs" / "evaluation.md").partition("## What shows it")[2],
        re.M,
    )
    assert len(rows) > 40
    assert [claim for claim, shown in rows if "`" not in shown] == []


def test_the_architecture_names_what_its_modules_define() -> None:
    pages = ("architecture", "roads", "where-is", "glossary")
    text = "".join(text_of(ROOT / "docs" / f"{name}.md") for name in pages)
    pairs = re.findall(r"`((?:app|ingest|workers)/[\w/]+\.py)` `(\w+)`", text)
    assert len(pairs) > 40
    assert [pair for pair in pairs if pair[1] not in names_in(ROOT / pair[0])] == []


def test_the_rooms_are_described_in_their_order() -> None:
    text = text_of(ROOT / "docs" / "architecture.md").partition("## The rooms")[2].partition("\n### ")[0]
    first_cells = re.findall(r"^\| (.*?) \|", text, re.M)
    described = [room for cell in first_cells for room in re.findall(r"`app/(\w+)", cell)]
    assert set(described) == FLOORS.keys()
    assert described == sorted(described, key=lambda room: FLOORS[room])


def test_the_readme_is_short_enough_to_be_read() -> None:
    assert len(text_of(ROOT / "README.md").splitlines()) <= 150

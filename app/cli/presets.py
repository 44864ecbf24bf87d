"""``auskunft presets``: lists the presets, and compares one with another."""

import json
from typing import Any

import click
from rich.table import Table

from app.cli.common import TEXT, console, json_option, print_json, table_console
from app.presets import ANY_EMBEDDER, Preset, toml_key
from app.presets.collection import Presets
from app.presets.differences import Difference, differences
from app.settings.settings import Settings, load_settings


@click.command()
@click.argument("name", type=TEXT, required=False)
@click.option(
    "--against", type=TEXT, metavar="OTHER", help="Compare with this preset (default: preset default)."
)
@json_option
def presets(*, name: str | None, against: str | None, as_json: bool) -> None:
    """List the presets, or explain the preset NAME: how it differs from another one, and which embedders it
    has thresholds for."""
    if against and not name:
        raise click.UsageError("--against needs the NAME of a preset to compare.")
    settings = load_settings()
    known = Presets(settings.presets)
    if name is None:
        _list(settings, known, as_json=as_json)
    else:
        _explain(settings, known, known.load(name), known.load(against or "default"), as_json=as_json)


def _list(settings: Settings, known: Presets, *, as_json: bool) -> None:
    if as_json:
        print_json([_entry(settings, known, name) for name in known.names()])
        return
    table = Table("", "name", "from", "what it does", box=None)
    for name in known.names():
        used = "*" if name == settings.preset else ""
        table.add_row(used, name, known.file(name).origin, known.load(name).description)
    table_console().print(table)
    console().print("* in use, as set by AUSKUNFT_PRESET; sites and sources may use others")


def _entry(settings: Settings, known: Presets, name: str) -> dict[str, Any]:
    return {
        "name": name,
        "from": known.file(name).origin,
        "extends": known.file(name).extends,
        "description": known.load(name).description,
        "used": name == settings.preset,
    }


def _explain(settings: Settings, known: Presets, preset: Preset, other: Preset, *, as_json: bool) -> None:
    found = differences(preset, other)
    own = sorted(settings.thresholds)
    if as_json:
        document = _entry(settings, known, preset.name) | {
            "against": other.name,
            "differences": [each.document() for each in found],
            "embedders": {key: table.model_dump() for key, table in preset.embedders.items()},
            "thresholds_in_settings": own,
        }
        print_json(document)
        return
    file, out = known.file(preset.name), console()
    extends = f", extends {file.extends}" if file.extends else ""
    out.print(f"{preset.name} ({file.origin}{extends}): {preset.description or 'no description'}\n")
    if rows := [each for each in found if not _is_of_one_alone(each, preset, other)]:
        table_console().print(_table(preset, other, rows))
    else:
        out.print(f"It is the same as {other.name}.")
    _print_embedders(preset, other)
    if own:
        out.print(f"thresholds in the settings override these: {', '.join(own)}")


def _is_of_one_alone(difference: Difference, preset: Preset, other: Preset) -> bool:
    """Return True for a value of an embedder that only one preset has thresholds for: its key shows that."""
    alone = preset.embedders.keys() ^ other.embedders.keys()
    return any(difference.key.startswith(f"embedders.{toml_key(key)}.") for key in alone)


def _print_embedders(preset: Preset, other: Preset) -> None:
    out = console()
    out.print("\nthresholds for")
    for key, table in preset.embedders.items():
        measured = "measured" if table.measured else "not measured"
        out.print(
            f"  {_embedder(key)}: {measured}{'' if key in other.embedders else f', not in {other.name}'}"
        )
    if lacking := [_embedder(key) for key in other.embedders if key not in preset.embedders]:
        out.print(f"only {other.name} has thresholds for {', '.join(lacking)}")


def _embedder(key: str) -> str:
    return "any other embedder" if key == ANY_EMBEDDER else key


def _table(preset: Preset, other: Preset, found: list[Difference]) -> Table:
    table = Table("key", preset.name, other.name, box=None)
    for each in found:
        table.add_row(each.key, _shown(each.value), _shown(each.other))
    return table


def _shown(value: Any) -> str:
    """Return a value in TOML's form; ``-`` if a preset has none."""
    if value is None:
        return "-"
    return value if isinstance(value, str) else json.dumps(value)

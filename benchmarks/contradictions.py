"""How well contradictions are told from harmless pairs of passages: ``python -m benchmarks.contradictions``.

Prints precision and recall over ``pools/contradictions.jsonl``, and the pairs that are judged wrongly.
"""

import json
from pathlib import Path
from typing import Any, Final

import click

from app.features.contradictions.detector import contradictions
from app.features.contradictions.statements import Statement, statements_of
from app.search.languages import question_language

PAIRS: Final = Path(__file__).with_name("pools") / "contradictions.jsonl"


def read_pairs() -> list[dict[str, Any]]:
    """Return the pairs of the pool."""
    return [json.loads(line) for line in PAIRS.read_text("utf-8").splitlines()]


def is_found(pair: dict[str, Any]) -> bool:
    """True if the detector finds a contradiction in the pair."""
    return bool(contradictions(_statements(pair["one"]), _statements(pair["other"])))


def figures(pairs: list[dict[str, Any]]) -> tuple[float, float]:
    """Return precision and recall."""
    found = [pair for pair in pairs if is_found(pair)]
    right = sum(pair["contradicts"] for pair in found)
    return right / max(len(found), 1), right / max(sum(pair["contradicts"] for pair in pairs), 1)


def _statements(passage: dict[str, str]) -> list[Statement]:
    language = question_language(passage["text"]) or question_language(passage["title"]) or "de"
    return statements_of(passage["text"], passage["title"], language)


@click.command()
def main() -> None:
    """Print the figures."""
    pairs = read_pairs()
    for name, some in (
        ("all", pairs),
        ("odd", [pair for pair in pairs if int(pair["id"].rpartition("-")[2]) % 2]),
        ("even", [pair for pair in pairs if not int(pair["id"].rpartition("-")[2]) % 2]),
    ):
        precision, recall = figures(some)
        click.echo(f"{name:>4}: {len(some)} pairs, precision {precision:.2f}, recall {recall:.2f}")
    for pair in pairs:
        if is_found(pair) != pair["contradicts"]:
            click.echo(f"{pair['id']}: {pair['one']['text']} | {pair['other']['text']}")


if __name__ == "__main__":
    main()

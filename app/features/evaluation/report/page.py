"""Writes the report's page: HTML with its style and plots inside, no script, and no request to any host."""

from collections.abc import Mapping, Sequence
from decimal import Decimal
from functools import partial
from importlib.metadata import version
from importlib.resources import files
from typing import Any, Final, Literal
from urllib.parse import urlsplit

from jinja2 import Environment, FunctionLoader, StrictUndefined

from app.chat.energy import hair_dryer_seconds, phone_percent
from app.features.evaluation.comparison import (
    LEAST_PROBABILITY,
    LOWER_IS_BETTER,
    SIGNIFICANT,
    Comparison,
    PairComparison,
)
from app.features.evaluation.metrics import ENERGY
from app.features.evaluation.report.texts import page_texts
from app.features.evaluation.results import EvaluationRun, by_group, worst
from app.features.evaluation.statistics import Difference, Estimate, estimates

WORST: Final = 20
GROUPS: Final = ("language", "kind", "source")
GROUP_FIGURES: Final = ("hit@1", "hit@10", "shown", "lost")
PRIMARY: Final = ("shown", "hit@1", "none")
"""The first of these figures that both runs have decides a comparison."""

NUMBERS: Final = frozenset({"mrr@10", "ndcg@10"})
"""Figures that are not shares of questions: they are written as numbers."""

CONTEXT_CHARACTERS: Final = 4_000


def render(
    runs: Sequence[EvaluationRun],
    language: str,
    *,
    count: int = WORST,
    comparison: Comparison | None = None,
) -> str:
    """Render the page about one run, or about a comparison and its runs. ``count``: how many of the worst
    questions of each run are shown."""
    texts = page_texts("evaluation", language)
    found = [run.estimates for run in runs]
    values = {
        "texts": texts,
        "names": {
            name: text
            for name, text in page_texts("figures", language).items()
            if any(name in each for each in found)
        },
        "runs": runs,
        "estimates": found,
        "comparison": comparison,
        "verdict": _verdict(found, comparison, language),
        "energy": [
            _energy(run, own, language) for run, own in zip(runs, found, strict=True) if ENERGY in own
        ],
        "warnings": list(
            dict.fromkeys(_note(kind, note, language) for run in runs for kind, note in run.notes.items())
        ),
        "groups": [(group, _groups(run, group)) for run in runs[:1] for group in GROUPS],
        "group_names": [name for name in GROUP_FIGURES if name in found[0]],
        "worst": [worst(run.results, count) for run in runs],
    }
    return render_template("report.html.jinja", language, numbers=NUMBERS, **values)


def render_template(name: str, language: str, /, **values: object) -> str:
    """Render a template of this package, with the style of reports, and numbers as the language writes
    them."""
    environment = Environment(
        loader=FunctionLoader(_template),
        autoescape=True,
        undefined=StrictUndefined,
        trim_blocks=True,
        lstrip_blocks=True,
    )
    environment.filters |= {
        "share": partial(share, language=language),
        "interval": partial(interval, language=language),
        "points": lambda value, name: points(value, language, name),
        "judgement": lambda found, name: judgement(name, found),
        "decimal": partial(decimal, language=language),
        "probability": partial(probability, language=language),
        "described": _described,
        "is_web": _is_web,
        "cut": lambda text: text[:CONTEXT_CHARACTERS] + ("…" if len(text) > CONTEXT_CHARACTERS else ""),
    }
    return environment.get_template(name).render(
        style=_template("report.css"), language=language, version=version("auskunft"), **values
    )


def _template(name: str) -> str:
    return files(__package__).joinpath(name).read_text("utf-8")


def _groups(run: EvaluationRun, group: str) -> dict[str, tuple[int, dict[str, Estimate]]]:
    found = by_group(run.results, lambda result: str(getattr(result, group)))
    return {name: (len(own), estimates([result.scores for result in own])) for name, own in found.items()}


def _energy(run: EvaluationRun, found: Mapping[str, Estimate], language: str) -> str:
    texts, watt_hours = page_texts("evaluation", language), found[ENERGY].value / 1_000
    basis = run.configuration.get("energy") or "measured"
    sentence: str = texts["energy_of"]
    return sentence.format(
        label=run.label,
        wh=_two_digits(watt_hours, language),
        seconds=_two_digits(hair_dryer_seconds(watt_hours), language),
        percent=_two_digits(phone_percent(watt_hours), language),
        basis=texts["basis"][basis],
    )


def _verdict(
    found: Sequence[Mapping[str, Estimate]], comparison: Comparison | None, language: str
) -> list[str]:
    """Summarise for a manager the pairs that are compared, or else the main figures."""
    if comparison:
        pairs = zip(comparison.pairs, found[1:], strict=True)
        return [line for pair, other in pairs for line in _sentences(pair, found[0], other, language)]
    texts, own = page_texts("evaluation", language), found[0]
    sentences = []
    for name, text in (("hit@1", "first"), ("shown", "shown"), ("refused", "refused"), ("lost", "lost")):
        if name in own:
            values = {
                "count": own[name].count,
                "share": share(own[name].value, language),
                "interval": interval(own[name], language=language),
                "ten": share(own["hit@10"].value, language) if "hit@10" in own else "",
            }
            sentences.append(texts[text].format(**values))
    return sentences


def _sentences(
    pair: PairComparison, before: Mapping[str, Estimate], after: Mapping[str, Estimate], language: str
) -> list[str]:
    """State which of two is better by the figure that decides, and how many questions changed."""
    texts = page_texts("evaluation", language)
    names = {"first": pair.first.label, "second": pair.second.label}
    primary = next((name for name in PRIMARY if name in pair.differences), None)
    if primary is None:
        return [texts["unmeasured"].format(**names)]
    found = pair.differences[primary]
    decided = texts[judgement(primary, found)].format(
        figure=page_texts("figures", language)[primary],
        difference=points(found.value, language),
        before=share(before[primary].value, language),
        after=share(after[primary].value, language),
        interval=interval(found, language=language, sign=True),
        p=probability(found.p, language, equals="= "),
        **names,
    )
    if not pair.changed:
        return [decided]
    counts: dict[str, int] = {outcome: len(pair.of(outcome)) for outcome in ("won", "mixed", "lost")}
    changed = texts["changed"].format(questions=len(pair.first.results), **counts, **names)
    return [decided, changed]


def _note(kind: str, note: Mapping[str, Any], language: str) -> str:
    """Return a note on what is missing, in the language of the page; as stored, if its kind is unknown."""
    texts: Mapping[str, str] = page_texts("evaluation", language)["notes"]
    try:
        named = ", ".join(map(str, note.get("first", ())))
        return texts[kind].format(named=named, **note)
    except (KeyError, TypeError):
        return str(note["warning"])


def judgement(name: str, found: Difference) -> Literal["better", "worse", "equal"]:
    """Judge the second of two by their difference."""
    if found.p > SIGNIFICANT or not found.value:
        return "equal"
    return "better" if (found.value > 0) != (name in LOWER_IS_BETTER) else "worse"


def share(value: float, language: str) -> str:
    """Format a share in percent, as the language writes it."""
    return f"{value:.0%}".replace("%", "\N{NO-BREAK SPACE}%" if language == "de" else "%")


def points(value: float, language: str, name: str = "") -> str:
    """Format a difference with its sign: of shares in percentage points, of other figures as a number."""
    digits, scaled = (3, value) if name in NUMBERS else (1, 100 * value)
    rounded = round(scaled, digits) + 0.0  # no -0.0
    text = f"{rounded:+.{digits}f}" if rounded else f"{rounded:.{digits}f}"
    return _with_comma(text, language).replace("-", "\N{MINUS SIGN}")


def decimal(value: float, language: str) -> str:
    """Format a number with three decimals."""
    return _with_comma(f"{value:.3f}", language)


def probability(value: float, language: str, *, equals: str = "") -> str:
    """Format a p-value; as a limit if three decimals do not show it. ``equals``: precedes other values."""
    if value < LEAST_PROBABILITY:
        return f"< {decimal(LEAST_PROBABILITY, language)}"
    return f"{equals}{decimal(value, language)}"


def interval(found: Estimate | Difference, name: str = "", *, language: str, sign: bool = False) -> str:
    """Format the interval of a figure; a dash if it has none. ``sign``: True for a difference."""
    if found.low is None or found.high is None:
        return "–"
    write = partial(points, name=name) if sign else decimal if name in NUMBERS else share
    to = page_texts("evaluation", language)["to"]
    return f"{write(found.low, language)} {to} {write(found.high, language)}"


def _two_digits(value: float, language: str) -> str:
    """Format a number with two significant digits."""
    return _with_comma(f"{Decimal(f'{value:.2g}'):f}", language)


def _with_comma(text: str, language: str) -> str:
    return text.replace(".", ",") if language == "de" else text


def _described(value: object) -> str:
    """Format a value of a configuration for people."""
    if isinstance(value, Mapping):
        return ", ".join(f"{name} {each}" for name, each in value.items())
    if isinstance(value, list | tuple):
        return ", ".join(map(str, value))
    return "–" if value in (None, "") else str(value)


def _is_web(href: str) -> bool:
    try:
        return urlsplit(href).scheme in {"http", "https"}
    except ValueError:
        return False

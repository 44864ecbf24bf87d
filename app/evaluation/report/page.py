"""Writes the report's page: HTML with its style and plots inside, no script, and no request to any host."""

from collections.abc import Mapping, Sequence
from functools import partial
from importlib.metadata import version
from importlib.resources import files
from typing import Final
from urllib.parse import urlsplit

from jinja2 import Environment, StrictUndefined

from app.evaluation.comparison import LOWER_IS_BETTER, SIGNIFICANT, Comparison, PairComparison
from app.evaluation.report.texts import FIGURES, TEXTS
from app.evaluation.results import EvaluationRun, by_group, worst
from app.evaluation.statistics import Difference, Estimate, estimates

WORST: Final = 20
GROUPS: Final = ("language", "kind", "source")
GROUP_FIGURES: Final = ("hit@1", "hit@10", "shown", "lost")
PRIMARY: Final = ("shown", "hit@1", "none")
"""Which figure decides a comparison: the first that both runs have."""

NUMBERS: Final = frozenset({"mrr@10", "ndcg@10"})
"""Figures that are no share of questions: they are written as numbers."""

CONTEXT_CHARACTERS: Final = 4_000


def render(
    runs: Sequence[EvaluationRun],
    language: str,
    *,
    count: int = WORST,
    comparison: Comparison | None = None,
) -> str:
    """The page about one run, or about a comparison and its runs. ``count``: the worst questions of each run
    that are shown."""
    texts = TEXTS[language]
    found = [run.estimates for run in runs]
    values = {
        "language": language,
        "texts": texts,
        "names": {
            name: text for name, text in FIGURES[language].items() if any(name in each for each in found)
        },
        "runs": runs,
        "estimates": found,
        "comparison": comparison,
        "verdict": _verdict(found, comparison, language),
        "warnings": list(dict.fromkeys(note["warning"] for run in runs for note in run.notes.values())),
        "groups": [(group, _groups(run, group)) for run in runs[:1] for group in GROUPS],
        "group_names": [name for name in GROUP_FIGURES if name in found[0]],
        "worst": [worst(run.results, count) for run in runs],
        "version": version("auskunft"),
    }
    environment = Environment(
        autoescape=True, undefined=StrictUndefined, trim_blocks=True, lstrip_blocks=True
    )
    environment.filters |= {
        "share": partial(share, language=language),
        "interval": partial(interval, language=language),
        "points": partial(points, language=language),
        "decimal": partial(decimal, language=language),
        "is_web": _is_web,
        "cut": lambda text: text[:CONTEXT_CHARACTERS] + ("…" if len(text) > CONTEXT_CHARACTERS else ""),
    }
    return environment.from_string(_template("report.html.jinja")).render(
        style=_template("report.css"), numbers=NUMBERS, **values
    )


def _template(name: str) -> str:
    return files(__package__).joinpath(name).read_text("utf-8")


def _groups(run: EvaluationRun, group: str) -> dict[str, tuple[int, dict[str, Estimate]]]:
    found = by_group(run.results, lambda result: str(getattr(result, group)))
    return {name: (len(own), estimates([result.scores for result in own])) for name, own in found.items()}


def _verdict(
    found: Sequence[Mapping[str, Estimate]], comparison: Comparison | None, language: str
) -> list[str]:
    """What a manager reads: a sentence for each pair that is compared, else for the main figures."""
    if comparison:
        return [_sentence(pair, language) for pair in comparison.pairs]
    texts, own = TEXTS[language], found[0]
    sentences = []
    for name, text in (("hit@1", "first"), ("shown", "shown"), ("refused", "refused"), ("lost", "lost")):
        if name in own:
            values = {
                "count": own[name].count,
                "share": share(own[name].value, language),
                "interval": interval(own[name], language=language),
                "ten": share(own["hit@10"].value, language) if "hit@10" in own else "",
            }
            sentences.append(str(texts[text]).format(**values))
    return sentences


def _sentence(pair: PairComparison, language: str) -> str:
    texts = TEXTS[language]
    names = {"first": pair.first.label, "second": pair.second.label}
    primary = next((name for name in PRIMARY if name in pair.differences), None)
    if primary is None:
        return str(texts["unmeasured"]).format(**names)
    found = pair.differences[primary]
    return str(texts[_judgement(primary, found)]).format(
        figure=FIGURES[language][primary],
        difference=points(found.value, language),
        interval=interval(found, language=language, sign=True),
        p=decimal(found.p, language),
        **names,
    )


def _judgement(name: str, found: Difference) -> str:
    if found.p > SIGNIFICANT or not found.value:
        return "equal"
    return "better" if (found.value > 0) != (name in LOWER_IS_BETTER) else "worse"


def share(value: float, language: str) -> str:
    """A share in percent, as the language writes it."""
    return f"{value:.0%}".replace("%", "\N{NO-BREAK SPACE}%" if language == "de" else "%")


def points(value: float, language: str) -> str:
    """A difference of shares in percentage points, with its sign."""
    return _with_comma(f"{100 * value:+.1f}", language).replace("-", "\N{MINUS SIGN}")


def decimal(value: float, language: str) -> str:
    """A number with three decimals."""
    return _with_comma(f"{value:.3f}", language)


def interval(found: Estimate | Difference, name: str = "", *, language: str, sign: bool = False) -> str:
    """The interval of a figure as it is written; a dash if there is none. ``sign``: of a difference."""
    if found.low is None or found.high is None:
        return "–"
    write = points if sign else decimal if name in NUMBERS else share
    return f"{write(found.low, language)} {TEXTS[language]['to']} {write(found.high, language)}"


def _with_comma(text: str, language: str) -> str:
    return text.replace(".", ",") if language == "de" else text


def _is_web(href: str) -> bool:
    try:
        return urlsplit(href).scheme in {"http", "https"}
    except ValueError:
        return False

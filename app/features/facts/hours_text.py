"""Rules of opening hours in words, for editors. Pure functions."""

from itertools import pairwise

from app.features.facts.card import card_texts, times_text
from app.features.facts.hours import ALL_MONTHS, HOLIDAY, OpeningHours

LEAST_RUN = 3
"""So many days or months in a row are told by the first and the last."""


def rule_texts(hours: OpeningHours, language: str) -> list[str]:
    """Return a line for each rule, such as "Monday–Friday: 8 am to 12 pm", in German or English."""
    texts = card_texts().get(language) or card_texts()["en"]
    days = (*texts.weekdays, texts.holidays)
    lines = []
    for rule in hours.rules:
        told = _runs([day for day in sorted(rule.days) if day != HOLIDAY], days)
        told += [texts.holidays] if HOLIDAY in rule.days else []
        line = f"{', '.join(told)}: {times_text(rule.spans, texts)}"
        if rule.nth:
            line += f" ({', '.join(texts.nth[nth - 1 if nth > 0 else nth] for nth in sorted(rule.nth))})"
        if rule.months != ALL_MONTHS:
            line += f" ({', '.join(_runs([month - 1 for month in sorted(rule.months)], texts.months))})"
        lines.append(line)
    return lines


def _runs(numbers: list[int], names: tuple[str, ...]) -> list[str]:
    """The names of numbers in order, three in a row and more as a run."""
    ends = [
        0,
        *(at for at, (one, other) in enumerate(pairwise(numbers), start=1) if other != one + 1),
        len(numbers),
    ]
    told: list[str] = []
    for start, end in pairwise(ends):
        run = [names[number] for number in numbers[start:end]]
        told += [f"{run[0]}–{run[-1]}"] if len(run) >= LEAST_RUN else run
    return told

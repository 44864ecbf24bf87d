"""Answers to visitors that a language model grades later, as a feature arranges it."""

from dataclasses import dataclass


@dataclass(frozen=True, slots=True, kw_only=True)
class Grading:
    """Up to ``answers`` of each day are graded. ``is_elsewhere``: by a model on another machine."""

    answers: int
    is_elsewhere: bool

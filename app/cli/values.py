"""Types of options and arguments, with error messages that name the thing expected."""

from datetime import datetime
from pathlib import Path
from typing import Any, Final, NoReturn

import click

LARGEST: Final = 2**63 - 1
"""The largest number that the databases can store."""


class _Day(click.ParamType[datetime]):
    """A calendar day, as its midnight."""

    name = "day"

    def convert(self, value: Any, param: click.Parameter | None, ctx: click.Context | None) -> datetime:
        if isinstance(value, datetime):
            return value
        try:
            return datetime.strptime(value, "%Y-%m-%d")
        except ValueError:
            self.fail(f"{value!r} is not a day: use one such as 2023-01-31.", param, ctx)


class WholeNumber(click.ParamType[int]):
    """A whole number from ``least`` to ``most``, both included. ``noun``: its name in messages."""

    name = "number"

    def __init__(self, least: int = 0, most: int = LARGEST, noun: str = "whole number") -> None:
        self._least, self._most, self._noun = least, most, noun

    def convert(self, value: Any, param: click.Parameter | None, ctx: click.Context | None) -> int:
        try:
            number = int(value)
        except ValueError:
            self._refuse(f"{value!r} is not a {self._noun}", param, ctx)
        if number < self._least:
            self._refuse(f"{value} is too small", param, ctx)
        if number > self._most:
            self._refuse(f"{value} is too large", param, ctx)
        return number

    def _refuse(self, why: str, param: click.Parameter | None, ctx: click.Context | None) -> NoReturn:
        is_open = self._most == LARGEST
        wanted = f"of {self._least:,} or more" if is_open else f"from {self._least:,} to {self._most:,}"
        self.fail(f"{why}: use a number {wanted}.", param, ctx)


class _Amount(click.ParamType[float]):
    """An amount of money: zero or more."""

    name = "amount"

    def convert(self, value: Any, param: click.Parameter | None, ctx: click.Context | None) -> float:
        try:
            amount = float(value)
        except ValueError:
            amount = -1.0
        if not amount >= 0:
            self.fail(f"{value!r} is not an amount: use a number of 0 or more.", param, ctx)
        return amount


class _Pair(click.ParamType[tuple[str, str]]):
    """A name and a text, separated by ``=``."""

    name = "pair"

    def convert(
        self, value: Any, param: click.Parameter | None, ctx: click.Context | None
    ) -> tuple[str, str]:
        if isinstance(value, tuple):
            return value
        name, divider, text = (
            value.encode("utf-8", "surrogateescape").decode("utf-8", "replace").partition("=")
        )
        if not (divider and text.strip()):
            self.fail(f"{value!r} has no value: add one, such as office=Registry.", param, ctx)
        return name, text


FILE: Final = click.Path(path_type=Path)
DAY: Final = _Day()
PAIR: Final = _Pair()
AMOUNT: Final = _Amount()
PORT: Final = WholeNumber(1, 65_535, "port")
ANY_PORT: Final = WholeNumber(0, 65_535, "port")
"""A port, or 0 for any free one."""

NUMBER: Final = WholeNumber(1)
"""The number of an entry, run or generation, or a count."""

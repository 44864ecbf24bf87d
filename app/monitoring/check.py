"""Checks of the installation; a failed one says which command helps."""

from collections.abc import Callable
from dataclasses import dataclass
from typing import Final

from pydantic import SkipValidation
from sqlalchemy.exc import SQLAlchemyError

from app.document import Document
from app.errors import AuskunftError
from ingest.availability import Availability
from ingest.said import Said

FAULTS: Final = (
    ArithmeticError,
    AttributeError,
    ImportError,
    LookupError,
    OSError,
    RuntimeError,
    SQLAlchemyError,
    TypeError,
    ValueError,
)
"""Errors besides ``AuskunftError`` that a damaged file or a feature may raise: only that check fails then."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Check:
    """One line of ``/readyz`` and ``auskunft status``. ``detail``: a :class:`Said` if it can be translated.
    ``required``: True if questions need it."""

    name: str
    ok: bool
    detail: str
    required: bool = True


class CheckDocument(Document):
    """A check."""

    name: str
    ok: bool
    detail: SkipValidation[str]  # validation would turn a Said into plain text
    required: bool


def run(name: str, required: bool, check: Callable[[], str]) -> Check:
    """Run a check that returns the detail of a success and raises on failure."""
    try:
        return Check(name=name, ok=True, detail=check(), required=required)
    except AuskunftError as error:
        return Check(name=name, ok=False, detail=Said.of(error), required=required)
    except FAULTS as error:
        return _failed(name, error, required=required)


def run_optional(name: str, check: Callable[[], list[Check]]) -> list[Check]:
    """Run a check that adds lines only if there is something to report."""
    try:
        return check()
    except AuskunftError:
        return []  # other checks report it
    except FAULTS as error:
        return [_failed(name, error, required=False)]


def verified(availability: Availability) -> Said:
    """Return the outcome of the last use of a server. Raises ``AuskunftError`` if it cannot be used."""
    outcome = availability.outcome()
    if not outcome.ok:
        raise AuskunftError(outcome.text.template, **outcome.text.values)
    return outcome.text


def _failed(name: str, error: Exception, *, required: bool) -> Check:
    what = f"{type(error).__name__}: {error}"
    detail = Said("cannot be checked ({what})", what=what)
    return Check(name=name, ok=False, detail=detail, required=required)

"""``auskunft doctor --model`` judges a small real language model."""

from pathlib import Path
from typing import Final

import pytest

from tests.fakes.command import Command
from tests.services import MissingServiceError, outcome
from tests.services.language_model import language_model

pytestmark = pytest.mark.model

SECONDS: Final = 600.0
"""More than three series of questions and the last reply of each take."""


def test_it_ends_with_an_advice(tmp_path: Path) -> None:
    try:
        with language_model() as base_url:
            command = Command(
                tmp_path, chat__base_url=base_url, chat__model="smollm2", chat__answer_tokens=80
            )
            doctor = command.start("doctor", "--model")
            out = doctor.communicate(timeout=SECONDS)[0].decode()
    except MissingServiceError as missing:
        raise outcome(missing) from None
    print(out)  # noqa: T201 - what the run is for
    assert out.splitlines()[-1].startswith(("[chat] form = ", "With this model answers are "))
    assert doctor.returncode in (0, 1)

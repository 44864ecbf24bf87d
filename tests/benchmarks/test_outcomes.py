"""What the console says of answers agrees with their grades."""

import json
import re
from pathlib import Path

from click.testing import CliRunner

from benchmarks.outcomes import main
from tests.fakes.sample_site import indexed
from tests.shared import SHARED, needs

POOLS = SHARED / "unprepared"
EVERY = 5


@needs(POOLS)
def test_outcomes_agree_with_grades_for_most_questions_that_nobody_prepared(tmp_path: Path) -> None:
    indexed(tmp_path / "data")
    lines = [
        line for name in ("demo", "absent") for line in (POOLS / f"{name}.jsonl").read_text().splitlines()
    ]
    pool = tmp_path / "pool.jsonl"
    pool.write_text("\n".join(lines[::EVERY]), "utf-8")
    result = CliRunner().invoke(main, [str(pool), "--data", str(tmp_path / "data")], catch_exceptions=False)
    agreed = re.search(r"agree: (\d+) of (\d+)", result.output)
    assert agreed is not None, result.output
    assert int(agreed[1]) >= 0.85 * int(agreed[2]) == 0.85 * len(lines[::EVERY]), result.output
    assert re.search(r"another case first: \d+, of these answered: 0", result.output)
    assert json.loads(lines[0])["question"] not in result.output

"""Articles of the treaties in their consolidated versions."""

import pytest

from ingest.law.treaties import editions


@pytest.mark.parametrize(
    ("celex", "others"),
    [
        ("12016E294", ["12012E294", "12010E294", "12008E294"]),
        ("12012E294", ["12016E294", "12010E294", "12008E294"]),
        ("12016P008", ["12012P008", "12010P008", "12008P008"]),
        ("12002E047", ["12006E047", "11997E047"]),
        ("11957E085", ["11992E085"]),
        ("32016R0679", []),
        ("12012JN03-08", []),
    ],
)
def test_the_versions_that_number_articles_alike_follow_the_given_one(celex: str, others: list[str]) -> None:
    assert editions(celex) == [celex, *others]

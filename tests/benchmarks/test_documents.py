"""The comparison of libraries that read PDF files: what it counts."""

from benchmarks.documents import READERS, Known, Score, scored
from tests.fakes.pdf import pdf

KNOWN = Known("a", b"", "Dog tax The dog costs 96 euros", ("1 Dog tax",), (("Dog", "96 euros"),))


def test_a_file_that_came_whole_has_full_shares() -> None:
    score = Score()
    score.add(KNOWN, "# 1. Dog tax\n\nThe dog costs 96 eu\u00adros\n\n| Dog | 96 euros |")
    assert score.figures()[:6] == ["1.000", "1.000", "0.364", "1.000", "0.000", "1.000"]


def test_words_that_are_lost_moved_or_added_are_counted() -> None:
    score = Score()
    score.add(KNOWN, "## Page 7\n\ncosts 96 the dog\n\n| Dog 96 | euros |")
    assert score.figures()[:6] == ["0.857", "0.500", "0.333", "0.000", "1.000", "0.000"]


def test_a_reader_that_fails_loses_the_file_alone() -> None:
    _, ours = READERS["Auskunft, on pypdfium2"]
    text = "The first dog costs 96 euros."
    score = scored([Known("good", pdf([[(11, text)]]), text), Known("broken", b"%PDF-", text)], ours)
    assert score.figures()[0] == "0.500"
    assert [problem.partition(":")[0] for problem in score.failed] == ["broken"]

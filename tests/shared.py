"""The folder ``shared`` beside the checkout: real pages, law and a model, for the tests that read them."""

from pathlib import Path
from typing import Final

import pytest

SHARED: Final = Path(__file__).parents[2] / "shared"
PAGES: Final = SHARED / "cms" / "govuk-pages.jsonl"
QUESTIONS: Final = SHARED / "cms" / "questions.jsonl"
LAW: Final = SHARED / "eurlex"
MINILM: Final = SHARED / "models" / "all-MiniLM-L6-v2-onnx"


def needs(path: Path) -> pytest.MarkDecorator:
    """Skips the test where the checkout has no such file or folder beside it."""
    name = path.relative_to(SHARED.parent)
    return pytest.mark.skipif(not path.exists(), reason=f"needs {name} beside the checkout")

"""Token counts without the model's tokenizer."""

from typing import Final

BYTES_PER_TOKEN: Final = 3
"""Low on purpose: German and English run at 4 to 5 bytes a token, so the estimate errs on the safe side."""


def estimate(text: str) -> int:
    """An upper estimate of the text's tokens: ``ceil(UTF-8 bytes / 3)``."""
    return -(-len(text.encode()) // BYTES_PER_TOKEN)

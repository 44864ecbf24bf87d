"""Token counts without the model's tokenizer.

Endpoints do not share a way to ask for them: the protocol of OpenAI and Ollama have none, llama.cpp and vLLM
each their own beside the base URL, which proxies hide. So they are estimated, by ratios measured with the
tokenizers of Llama 3.1, Qwen 3, Gemma 3, gpt-oss and Mistral (Tekken) on acts of EU law, pages of a
government and the sample site. In every language the sum over the texts is at least what the most wasteful
of the five counts, because a server may cut a prompt that is too long without a word. Older models with
32,000 different tokens need up to 20 % more than these five.
"""

import re
from collections.abc import Mapping
from math import ceil
from typing import Final

BYTES_PER_TOKEN: Final[Mapping[str, float]] = {"en": 5.0, "de": 3.8, "fr": 4.0}
"""Of letters and spaces, in UTF-8."""

OTHER_BYTES_PER_TOKEN: Final = 2.5
"""Of other languages: measured on Welsh and Urdu, which need the most tokens; Spanish needs far fewer."""

MOST_CHARACTERS: Final = 6
"""More than the estimate ever gives to a token."""

MESSAGE_TOKENS: Final = 8
"""Tokens that a chat format adds to each message."""

_OTHERS: Final = re.compile(r"(?! )[\W\d_]")


def estimate(text: str, language: str = "") -> int:
    """An upper estimate of the tokens of a text in ``language`` (ISO 639-1): letters and spaces by the
    language's ratio, every digit, mark and line break as a token of its own."""
    others = "".join(_OTHERS.findall(text))
    letters = len(text.encode()) - len(others.encode())
    return ceil(letters / BYTES_PER_TOKEN.get(language, OTHER_BYTES_PER_TOKEN)) + len(others)

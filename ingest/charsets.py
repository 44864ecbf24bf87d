"""Maps charsets that pages declare to codecs, as browsers do."""

import codecs
from typing import Final

_KNOWN: Final = frozenset({
    "ascii", "big5", "big5hkscs", "cp866", "cp874", "cp932", "cp949", "cp1250", "cp1251", "cp1252", "cp1253",
    "cp1254", "cp1255", "cp1256", "cp1257", "cp1258", "euc_jp", "euc_kr", "gb18030", "gb2312", "gbk",
    "iso2022_jp", "koi8-r", "koi8-u", "mac-cyrillic", "mac-roman", "shift_jis", "tis-620", "utf-8", "utf-16",
    "utf-16-be", "utf-16-le", "utf-32", "utf-32-be", "utf-32-le", *(f"iso8859-{n}" for n in range(1, 17)),
})  # fmt: skip
"""Python's names of the encodings of web pages. Python also has codecs that are not charsets (``hex``,
``zlib``), that cannot replace damaged bytes (``idna``), or that take quadratic time (``punycode``)."""


def codec_of(charset: str) -> str:
    """Return the codec's name for a declared charset; empty if browsers do not know the charset."""
    try:
        name = codecs.lookup(charset).name
    except (LookupError, ValueError):  # a NUL in the name is a ValueError
        return ""
    return name if name in _KNOWN else ""

"""Reduces a thesaurus in MyThes format, as word processors have it, to what a search needs.

    python -m app.search.thesaurus_source th_de_DE_v2.dat app/search/thesauri/de.txt.xz

A line of the result is one meaning: ``|Personalausweis|Lichtbildausweis|~Perso|>Ausweis|``. ``~`` marks words
that are colloquial, old or regional, which questions have but pages hardly ever. ``>`` marks words with a
wider meaning. Swear words, figures of speech, phrases of more than two words, and meanings with a single word
are left out.
"""

import lzma
import re
import sys
from collections.abc import Collection, Iterable, Iterator
from pathlib import Path
from typing import Final

SPOKEN: Final = "~"
WIDER: Final = ">"

_REMARK: Final = re.compile(r"\s*\(([^()]*)\)\s*")
_PHRASE: Final = re.compile(r"[^\W_][\w'’.-]+(?: [\w'’-]+)?")
_ENTRY: Final = re.compile(r"-\||\((?:noun|verb|adj|adv)\)\|")

_WIDER_REMARK: Final = re.compile(r"Oberbegriff|generic term")
_OTHER_REMARK: Final = re.compile(r"derb|vulg|aggressiv|fig\.|antonym|related term|similar term")
_SPOKEN_REMARK: Final = re.compile(
    r"ugs|veralt|regional|selten|Jargon|salopp|iron|scherz|abwertend|verhüllend|lit\.|dicht|Spruch"
)


def reduced(lines: Iterable[str]) -> list[str]:
    """Return the meanings of a thesaurus, each once, sorted. ``lines``: of its file."""
    found = dict[frozenset[str], str]()
    head = ""
    for line in lines:
        if not _ENTRY.match(line):
            head = line.split("|")[0]
        elif words := _words(head, line):
            found.setdefault(frozenset(word.casefold() for word in words), "|".join(("", *words, "")))
    return sorted(found.values())


def _words(head: str, line: str) -> list[str]:
    """Return the marked words of a meaning of the word ``head``; empty if there are fewer than two, or none
    that pages may have."""
    written, spoken, wider = dict[str, None](), dict[str, None](), dict[str, None]()
    for raw in line.strip().split("|")[1:]:
        word, remarks = _REMARK.sub(" ", raw).strip(), " ".join(_REMARK.findall(raw))
        if not _PHRASE.fullmatch(word) or _OTHER_REMARK.search(remarks):
            continue
        is_spoken = _SPOKEN_REMARK.search(remarks) is not None
        if _WIDER_REMARK.search(remarks):
            wider |= {} if is_spoken else {word: None}
        else:
            (spoken if is_spoken else written)[word] = None
    known = {word.casefold() for word in written | spoken}
    if head not in known and line.startswith("(") and _PHRASE.fullmatch(head):  # WordNet leaves it out
        written[head] = None
    return list(_marked(written, spoken, wider)) if written and len(written | spoken) > 1 else []


def _marked(written: Collection[str], spoken: Iterable[str], wider: Iterable[str]) -> Iterator[str]:
    yield from written
    yield from (SPOKEN + word for word in spoken if word not in written)
    yield from (WIDER + word for word in sorted(wider) if word not in written)


def main() -> None:
    """Reduce the thesaurus in the file of the first argument, and write it to that of the second."""
    source, target = map(Path, sys.argv[1:])
    encoding = source.read_bytes().split(b"\n", 1)[0].decode("ascii").strip()
    text = "\n".join(reduced(source.read_text(encoding).splitlines()))
    target.write_bytes(lzma.compress(text.encode(), preset=9 | lzma.PRESET_EXTREME))


if __name__ == "__main__":
    main()

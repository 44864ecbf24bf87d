"""Public test sets, loaded from a folder for :mod:`benchmarks.public`.

Their texts stay outside the repository; every file is identified by its SHA-256, so that figures of different
days and machines are of the same text. Each set becomes a :class:`TestSet`, whatever its format:

* XQuAD (CC BY-SA 4.0): a passage is a page without a title, and answers the questions asked about it. Each
  language has the same 240 passages and 1,190 questions, so that questions in one can be asked of pages in
  another.
* Cranfield: 1,400 abstracts in English. ``cranqrel`` numbers questions by their position in ``cran.qry``,
  from 1, not by the number after ``.I``. Every grade from 1 (a complete answer) to 4 counts as relevant.
* Amt24: pages of services of a German state, and questions that a model wrote from them.
"""

import json
import re
from collections import defaultdict
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from hashlib import sha256
from itertools import permutations
from pathlib import Path
from typing import Any, Final

from app.features.evaluation.pool import PoolQuestion

LANGUAGES: Final = ("en", "de", "ar", "el", "es", "ro", "ru", "tr")
CROSSED: Final = ("de", "en")
"""The languages whose questions are asked of each other's passages."""

_XQUAD: Final = "https://github.com/google-deepmind/xquad, the folder's root"
_CRANFIELD: Final = "http://ir.dcs.gla.ac.uk/resources/test_collections/cran/, in cran.tar.gz"
_AMT24: Final = (
    "https://github.com/oliverguhr/buergerbot24: its pages as JSON Lines with id, url, language, title and "
    "markdown, its questions with id, question, language and gold"
)

Record = dict[str, Any]


@dataclass(frozen=True, slots=True)
class KnownFile:
    """A file, identified by its hash in hexadecimal. ``origin``: where to get it."""

    sha256: str
    origin: str


FILES: Final[Mapping[str, KnownFile]] = {
    "xquad.ar.json": KnownFile("abdabd7afed5c635d99cca0f3f0d0c9d9ed0bc77451e963c2e4e0638c29e486d", _XQUAD),
    "xquad.de.json": KnownFile("990b5d746746ed65ed4702ea5f35f99ffa4e2f1c390c07d003642acd937916f9", _XQUAD),
    "xquad.el.json": KnownFile("821cf0f88e73fa258fd2f548b19b6ec39f7025059e16f6f9fc8cd797c9c3663e", _XQUAD),
    "xquad.en.json": KnownFile("e4c57d1c9143aaa1c5d265ba5987a65f4e69528d2a98f29d6e75019b10344f29", _XQUAD),
    "xquad.es.json": KnownFile("dcbae93ec3a9f4b9e78fd834a171d6f96c1a875e10e15b7530b7e4ef4971e37e", _XQUAD),
    "xquad.ro.json": KnownFile("94f8d54e93ad2b7dd2e76dd921a666b5b8eff2d4379df9f179c42b445f09643f", _XQUAD),
    "xquad.ru.json": KnownFile("208d5b1aa154c52b1b5c5eda16281e455e8fd198cdb9af3f469f0d6037d973bf", _XQUAD),
    "xquad.tr.json": KnownFile("92179a564774b7696100d144c1e10870d0a966b6fccbdd254a65b9d2ab1971cc", _XQUAD),
    "cran.all.1400": KnownFile(
        "fbb8935a93263ab6c9fadefb507fd7cd5e101e7fbeb31c12e6bff6dd501315e8", _CRANFIELD
    ),
    "cran.qry": KnownFile("99578ceb88941ef89c14faf7c63c23776a376d8fba319b990f01d0c601d8b03f", _CRANFIELD),
    "cranqrel": KnownFile("a90f56082cd44db70bf2c21ebca39a1a34e37c82ccb5ddf1bcc64f18795234c7", _CRANFIELD),
    "amt24-pages.jsonl": KnownFile(
        "6320a21151efc6e452188d0a075170b60f981d9c25c6447278c6dd2721c27bf8", _AMT24
    ),
    "amt24-questions.jsonl": KnownFile(
        "2c42a4522c2b1b032e03133d4ba4d1335e74757880de27c640a7751be691efa0", _AMT24
    ),
}


@dataclass(frozen=True, slots=True, kw_only=True)
class TestSet:
    """Questions about the pages of a collection. ``collection``: its name, which several sets may share."""

    __test__ = False

    name: str
    collection: str
    pages: Sequence[Record]
    questions: Sequence[PoolQuestion]


@dataclass(frozen=True, slots=True, kw_only=True)
class _Recipe:
    """The files of a set. ``collection``: the name of the collection of its pages."""

    collection: str
    files: tuple[str, ...]


def _recipes() -> Iterator[tuple[str, _Recipe]]:
    for language in LANGUAGES:
        name = f"xquad-{language}"
        yield name, _Recipe(collection=name, files=(f"xquad.{language}.json",))
    for asked, pages in permutations(CROSSED, 2):
        files = (f"xquad.{pages}.json", f"xquad.{asked}.json")
        yield f"xquad-{asked}-{pages}", _Recipe(collection=f"xquad-{pages}", files=files)
    yield "cranfield", _Recipe(collection="cranfield", files=("cran.all.1400", "cran.qry", "cranqrel"))
    yield "amt24", _Recipe(collection="amt24", files=("amt24-pages.jsonl", "amt24-questions.jsonl"))


_RECIPES: Final = dict(_recipes())
NAMES: Final = tuple(_RECIPES)


def missing(folder: Path, name: str) -> list[str]:
    """Return a line for each file of the set that is missing in the folder, or has another hash."""
    return [line for file in _RECIPES[name].files if (line := _fault(folder / file, FILES[file]))]


def _fault(path: Path, known: KnownFile) -> str:
    try:
        found = sha256(path.read_bytes()).hexdigest()
    except OSError as error:
        return f"{path.name}: {error.strerror}; it is from {known.origin}"
    if found == known.sha256:
        return ""
    return f"{path.name}: SHA-256 {found[:12]} instead of {known.sha256[:12]}; get it from {known.origin}"


def load(folder: Path, name: str) -> TestSet:
    """Load a set whose files are all there."""
    recipe = _RECIPES[name]
    texts = [(folder / file).read_text("utf-8") for file in recipe.files]
    if name == "cranfield":
        pages, questions = cranfield_pages(texts[0]), cranfield_questions(texts[1], texts[2])
    elif name == "amt24":
        pages = [json.loads(line) for line in texts[0].splitlines()]
        questions = [PoolQuestion(**_asked(json.loads(line))) for line in texts[1].splitlines()]
    else:
        pages = xquad_pages(texts[0], recipe.collection.removeprefix("xquad-"))
        questions = xquad_questions(texts[-1])
    return TestSet(name=name, collection=recipe.collection, pages=pages, questions=questions)


def half(question: PoolQuestion) -> int:
    """Return 0 or 1 by the question's id: the half to choose weights on, or the one that is kept aside."""
    return sha256(question.id.encode()).digest()[0] % 2


def xquad_pages(text: str, language: str) -> list[Record]:
    """Return the passages of a file in SQuAD's form, named by their order."""
    return [
        {
            "id": f"passage-{number}",
            "url": f"https://xquad.example/{number}",
            "language": language,
            "text": passage["context"],
        }
        for number, passage in enumerate(_passages(text))
    ]


def xquad_questions(text: str) -> list[PoolQuestion]:
    """Return the questions of a file in SQuAD's form, each with its passage as the gold page."""
    return [
        PoolQuestion(id=asked["id"], question=asked["question"], gold=(f"passage-{number}",))
        for number, passage in enumerate(_passages(text))
        for asked in passage["qas"]
    ]


def cranfield_pages(text: str) -> list[Record]:
    """Return the abstracts that have a text."""
    return [
        {
            "id": number,
            "url": f"https://cranfield.example/{number}",
            "language": "en",
            "title": " ".join(parts["T"].split()),
            "text": parts["W"],
        }
        for number, parts in _entries(text)
        if parts["W"].strip()
    ]


def cranfield_questions(text: str, judgements: str) -> list[PoolQuestion]:
    """Return the questions with their relevant abstracts. ``judgements``: lines with the question's position,
    the abstract's number and a grade, -1 if it is not relevant."""
    gold: dict[int, dict[str, None]] = defaultdict(dict)
    for line in judgements.splitlines():
        place, abstract, grade = line.split()
        if int(grade) > 0:
            gold[int(place)][abstract] = None
    return [
        PoolQuestion(id=f"cranfield-{place}", question=" ".join(parts["W"].split()), gold=tuple(gold[place]))
        for place, (_, parts) in enumerate(_entries(text), start=1)
    ]


def _passages(text: str) -> list[Any]:
    return [passage for article in json.loads(text)["data"] for passage in article["paragraphs"]]


def _entries(text: str) -> Iterator[tuple[str, dict[str, str]]]:
    """Yield the entries of a Cranfield file: each number with its parts by letter."""
    for entry in re.split(r"^\.I ", text, flags=re.MULTILINE)[1:]:
        number, _, rest = entry.partition("\n")
        found = dict(re.findall(r"^\.([TABW])\n(.*?)(?=^\.[TABW]$|\Z)", rest, re.MULTILINE | re.DOTALL))
        yield number.strip(), {"T": "", "W": "", **found}


def _asked(line: Mapping[str, Any]) -> dict[str, Any]:
    """A question without its answer, and without its language, because visitors do not state theirs."""
    return {"id": line["id"], "question": line["question"], "gold": tuple(line["gold"])}

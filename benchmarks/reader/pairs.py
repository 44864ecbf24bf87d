"""Questions with blocks that do and do not answer them, as training data of the reader (a cross-encoder).

``towns.jsonl.xz``: pages of invented towns, with questions. ``services.jsonl.xz``: questions on the pages of
Amt24, with the answer's character offsets in the page without link targets. Two in five questions are not
answered by their page. XQuAD's paragraphs are cut into pieces of one to three sentences.
"""

import json
import lzma
import random
import re
from collections import Counter, defaultdict
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Final

from app.search.block_comparison import block_text
from app.search.page_blocks import page_blocks
from benchmarks.public_sets import LANGUAGES
from ingest.text import ends

HERE: Final = Path(__file__).parent
OWN_WEIGHT: Final = 2.0
"""The weight of a question on a page; one on a paragraph of XQuAD has 1."""
SEEN_CHARACTERS: Final = 2_600
"""The characters of a page of Amt24 from which its questions were written."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Group:
    """A question with texts. The first one answers it if ``is_answered``; the others never do."""

    question: str
    texts: Sequence[str]
    is_answered: bool
    weight: float = 1.0


@dataclass(frozen=True, slots=True)
class Block:
    """A block of a page. ``text``: with title and headings above it; ``own``: without."""

    text: str
    own: str


def towns(rnd: random.Random, *, times: int = 3) -> Iterator[Group]:
    """Yield the questions on invented towns, each ``times``. Wrong blocks are from the same page, and from
    other pages of the town that share words with the question."""
    all_rows = rows(HERE / "towns.jsonl.xz")
    pages = {
        (row["site"], row["page"]): blocks_of(row["title"], row["markdown"], row["language"])
        for row in all_rows
        if "markdown" in row
    }
    for site in {site for site, _ in pages}:
        others = [(key, block) for key, found in pages.items() if key[0] == site for block in found]
        for row in (row for row in all_rows if row["site"] == site and "question" in row):
            key, answer = (site, row["page"]), row.get("answer", "")
            right = answering(pages[key], answer)
            far = _by_words(row["question"], [block for other, block in others if other != key])[:14]
            if bool(right) == bool(answer):
                for _ in range(times):
                    yield _group(row["question"], right, pages[key], far, rnd)


def services(pages: Iterable[dict[str, Any]], rnd: random.Random, *, times: int = 2) -> Iterator[Group]:
    """Yield the questions on pages of Amt24, like :func:`towns`, with wrong blocks of the same page only."""
    known = {page["id"]: page for page in pages}
    for row in rows(HERE / "services.jsonl.xz"):
        page = known[row["page"]]
        markdown = plain_markdown(page["markdown"])
        blocks = blocks_of(page["title"], markdown, "de")
        start, end = row.get("answer", (0, 0))
        answer = plain(markdown[start:end])
        right = answering(blocks, answer)
        if not answer:  # the author of the question did not see the rest of the page, which may answer it
            seen = plain(markdown[:SEEN_CHARACTERS])
            blocks = [block for block in blocks if plain(block.own)[:80] in seen]
        if blocks and bool(right) == bool(answer):
            for _ in range(times):
                yield _group(row["question"], right, blocks, [], rnd)


def paragraphs(folder: Path, rnd: random.Random) -> Iterator[Group]:
    """Yield the questions of XQuAD in ``folder``, about paragraphs in the same and in other languages. Every
    eighth article is left out."""
    articles = {language: xquad(folder, language) for language in LANGUAGES}
    others = [language for language in LANGUAGES if language not in {"de", "en"}]
    for number, article in enumerate(articles["en"]):
        if number % 8 == 0:
            continue
        for place, paragraph in enumerate(article["paragraphs"]):
            for index in range(len(paragraph["qas"])):
                own = rnd.choice(others)
                for asked, read in (
                    *(("de", "de"), ("de", "de"), ("en", "en"), ("de", "en"), ("en", "de")),
                    *((rnd.choice(others), "de"), (rnd.choice(others), "en"), (own, own)),
                ):
                    question = articles[asked][number]["paragraphs"][place]["qas"][index]["question"]
                    yield from _of_paragraph(
                        question, articles[read], number, place=place, index=index, rnd=rnd
                    )


def perturbed(question: str, rnd: random.Random) -> str:
    """Return the question as hasty people type it; mostly unchanged."""
    if rnd.random() < 0.2:
        question = question.lower()
    if rnd.random() < 0.2:
        question = question.rstrip("?. ")
    if rnd.random() < 0.08 and len(question) > 12:
        at = rnd.randrange(4, len(question) - 4)
        question = f"{question[:at]}{question[at + 1]}{question[at]}{question[at + 2 :]}"
    return question


def answering(blocks: Sequence[Block], answer: str) -> list[Block]:
    """Return the blocks that contain an answer; none if it is empty."""
    wanted = plain(answer)
    return [block for block in blocks if wanted and wanted in plain(block.text)]


def service_pages(folder: Path) -> list[dict[str, Any]]:
    """Return the pages of Amt24 in ``folder``."""
    return [json.loads(line) for line in (folder / "amt24-pages.jsonl").read_text("utf-8").splitlines()]


def xquad(folder: Path, language: str) -> list[dict[str, Any]]:
    """Return the articles of XQuAD in ``folder`` in this language."""
    document = json.loads((folder / f"xquad.{language}.json").read_text("utf-8"))
    articles: list[dict[str, Any]] = document["data"]
    return articles


def plain_markdown(markdown: str) -> str:
    """Return Markdown without the targets of its links."""
    return re.sub(r"\n{3,}", "\n\n", re.sub(r"\]\([^)]*\)", "]", markdown))


def _group(
    question: str, right: Sequence[Block], own: Sequence[Block], far: Sequence[Block], rnd: random.Random
) -> Group:
    wrong = [block for block in own if block not in right]
    chosen = [*rnd.sample(right, min(1, len(right))), *rnd.sample(wrong, min(5, len(wrong)))]
    chosen += rnd.sample(far, min(3, len(far)))
    texts = [block.text for block in chosen]
    return Group(question=question, texts=texts, is_answered=bool(right), weight=OWN_WEIGHT)


def _of_paragraph(
    question: str, articles: Sequence[Any], number: int, *, place: int, index: int, rnd: random.Random
) -> Iterator[Group]:
    paragraphs = articles[number]["paragraphs"]
    text = paragraphs[place]["context"]
    [answer, *_] = paragraphs[place]["qas"][index]["answers"]
    start, end = answer["answer_start"], answer["answer_start"] + len(answer["text"])
    cut = _windows(text, rnd)
    right = [span for span in cut if span[0] <= start and end <= span[1]]
    if not right:
        return
    same = [text[first:last] for first, last in cut if (first, last) != right[0]]
    rest = [
        other["context"]
        for other in rnd.sample(paragraphs, min(4, len(paragraphs)))
        if other["context"] != text
    ]
    away = rnd.choice([each for at, each in enumerate(articles) if at != number])
    rest.append(rnd.choice(away["paragraphs"])["context"])
    wrong = [*rnd.sample(same, min(3, len(same))), *(_one(each, rnd) for each in rest)]
    wrong = [each for each in wrong if answer["text"].casefold() not in each.casefold()]
    texts = [text[slice(*right[0])], *wrong]
    yield Group(question=question, texts=texts, is_answered=True)


def _windows(text: str, rnd: random.Random) -> list[tuple[int, int]]:
    offsets, found = [0, *ends(text)], []
    at = 0
    while at < len(offsets) - 1:
        last = min(at + rnd.choice((1, 1, 2, 2, 3)), len(offsets) - 1)
        found.append((offsets[at], offsets[last]))
        at = last
    return found


def _one(text: str, rnd: random.Random) -> str:
    first, last = rnd.choice(_windows(text, rnd))
    return text[first:last]


def blocks_of(title: str, markdown: str, language: str) -> list[Block]:
    """Return the blocks of a page as the search compares them."""
    found = page_blocks((("content", re.sub(r"^# .*\n", "", markdown, count=1)),), title, language)
    return [Block(block_text(title, each.headings, each.text.strip()), each.passage.text) for each in found]


def _by_words(question: str, blocks: Sequence[Block]) -> list[Block]:
    """Sort the blocks, those with the rarest words of the question first."""
    words = [_stems(block.text) for block in blocks]
    counts = Counter(word for each in words for word in each)
    scores: dict[int, float] = defaultdict(float)
    for number, each in enumerate(words):
        scores[number] = sum(1 / counts[word] for word in _stems(question) & each)
    return [blocks[number] for number in sorted(scores, key=lambda number: -scores[number])]


def _stems(text: str) -> set[str]:
    return {word[:6] for word in re.findall(r"\w{3,}", text.casefold())}


def plain(text: str) -> str:
    """Return only the words of a text, in lower case."""
    return re.sub(r"[\W_]+", " ", text.casefold()).strip()


def rows(file: Path) -> list[dict[str, Any]]:
    """Return the lines of a packed JSON Lines file."""
    with lzma.open(file, "rt", encoding="utf-8") as lines:
        return [json.loads(line) for line in lines]

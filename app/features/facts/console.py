"""The facts of a page on its page in the console, and the button that switches them off."""

from werkzeug.wrappers import Response

from app.api.access import require_source
from app.api.state import current_services
from app.console.pages import current_user, go, make_blueprint
from app.console.texts import console_language
from app.errors import NotFoundError
from app.features.facts.card import card_texts
from app.features.facts.hours import ALL_MONTHS, HOLIDAY, OpeningHours
from app.features.facts.hours_texts import runs, times_text
from app.features.facts.page_facts import PageFacts
from app.features.facts.services import FactServices
from ingest.types import PageRef

blueprint = make_blueprint("console_facts", __name__, "/facts", templates="templates")


def facts(ref: PageRef) -> tuple[PageFacts, list[tuple[str, list[str]]]] | None:
    """Return the facts of a page and its hours as named groups of lines, or ``None`` if it is not in the
    index."""
    try:
        found = current_services().feature(FactServices).of_page(ref)
    except NotFoundError:
        return None
    language = console_language()
    hours = [
        (" – ".join(filter(None, (each.place, each.name))), rule_texts(each, language))
        for each in found.hours
    ]
    return found, hours


@blueprint.post("/<any('silence', 'tell'):action>/<source>/<language>/<path:page_id>")
def change(action: str, source: str, language: str, page_id: str) -> Response:
    """Switch the facts of a page off or on again."""
    require_source(source)
    services = current_services().feature(FactServices)
    ref = services.named(source, language, page_id).page.ref
    services.silent.change(ref, current_user().name, silent=action == "silence")
    done = f"facts_{action}"
    return go("page_list.one", done, source=source, language=language, page_id=page_id)


def rule_texts(hours: OpeningHours, language: str) -> list[str]:
    """Return a line for each rule, such as "Monday–Friday: 8 am to 12 pm", and for each calendar day with
    hours of its own.

    In German or English.
    """
    texts = card_texts().get(language) or card_texts()["en"]
    days = (*texts.weekdays, texts.holidays)
    lines = []
    for rule in hours.rules:
        told = runs([day for day in sorted(rule.days) if day != HOLIDAY], days)
        told += [texts.holidays] if HOLIDAY in rule.days else []
        line = f"{', '.join(told)}: {times_text(rule.spans, texts)}"
        if rule.nth:
            line += f" ({', '.join(texts.nth[nth - 1 if nth > 0 else nth] for nth in sorted(rule.nth))})"
        if rule.months != ALL_MONTHS:
            line += f" ({', '.join(runs([month - 1 for month in sorted(rule.months)], texts.months))})"
        lines.append(line)
    for dated in hours.dated:
        ends = dict.fromkeys((dated.first, dated.last))
        when = "–".join(
            texts.day_of_year.format(day=day, month=texts.months[month - 1]) for month, day in ends
        )
        year = f" {dated.year}" if dated.year else ""
        lines.append(f"{when}{year}: {times_text(dated.spans, texts)}")
    return lines

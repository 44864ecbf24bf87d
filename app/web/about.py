"""The page about the service: model, search, hardware, storage, energy, and the data kept of visitors.

It shows no addresses, and only the last part of names that are paths.
"""

import os
from collections.abc import Mapping
from contextlib import suppress
from pathlib import Path
from typing import Final

from apiflask import APIBlueprint
from flask import request
from werkzeug.wrappers import Response

from app.api import limits
from app.api.state import current_services
from app.chat.energy import SUMMED_DAYS, is_model_here
from app.chat.grading import Grading
from app.errors import AuskunftError
from app.monitoring.machine import cpu_name, memory_size
from app.search.query import knows_meaning
from app.services import Services
from app.settings.settings import Settings
from app.settings.sites import SiteSettings
from app.web.answers import two_digits
from app.web.rendering import error_message, render_page
from app.web.site_choice import offered_sites
from app.web.texts import TEXTS, request_language

TEMPLATE: Final = "about.html"

Texts = Mapping[str, str]
Facts = list[tuple[str, list[str]]]
"""Terms, each with sentences about it."""

blueprint = APIBlueprint("about", __name__, enable_openapi=False)


@blueprint.get("/about")
def page() -> Response:
    """The page for one site."""
    if offer := offered_sites():
        return offer
    language, services = request_language(), current_services()
    try:
        site = services.chat.sites.find(request.args.get("site"), None)
        limits.count_request(site)
        facts = _facts(services, site, language)
    except AuskunftError as error:
        return render_page(TEMPLATE, language, error, site=None, error=error_message(error, language))
    return render_page(TEMPLATE, language, site=site, facts=facts)


def _facts(services: Services, site: SiteSettings, language: str) -> Facts:
    texts, settings = TEXTS[language], services.settings
    return [
        (texts["about_model"], _model(settings, texts)),
        (texts["about_search"], _search(services, texts)),
        (texts["about_hardware"], _hardware(services, texts)),
        (texts["about_storage"], _storage(services, texts, language)),
        (texts["about_energy"], _energy(services, site, language)),
        (texts["about_privacy"], _privacy(services, site, texts)),
    ]


def _model(settings: Settings, texts: Texts) -> list[str]:
    name = _name(settings.chat.model)
    if not name:
        return [texts["about_no_model"]]
    return [name, texts["about_model_here" if is_model_here(settings) else "about_model_elsewhere"]]


def _search(services: Services, texts: Texts) -> list[str]:
    """The embedder of the live generation, and the index."""
    live = services.indexing.index.live()
    recipe = live.recipe.embedder if live else {}
    plugin = str(recipe.get("name") or services.settings.embedder)
    name = _name(str(recipe.get("model") or plugin))
    is_semantic = knows_meaning(plugin)
    return [
        texts["about_embedder"].format(name=name) if is_semantic else texts["about_words"],
        texts[f"about_index_{services.settings.index}"],
    ]


def _hardware(services: Services, texts: Texts) -> list[str]:
    memory = memory_size()
    named = [cpu_name(), *services.chat.energy.gpus]
    counted = [texts["about_cores"].format(count=os.cpu_count() or 1)]
    if memory:
        counted.append(texts["about_memory"].format(size=round(memory / 1_000_000_000)))
    return [*filter(None, named), ", ".join(counted)]


def _storage(services: Services, texts: Texts, language: str) -> list[str]:
    database = "PostgreSQL" if services.settings.database_url.get_secret_value() else "SQLite"
    size = two_digits(sum(map(_size, services.data.rglob("*"))) / 1_000_000, language)
    return [texts["about_database"].format(name=database), texts["about_size"].format(size=size)]


def _size(path: Path) -> int:
    with suppress(OSError):  # gone meanwhile
        return path.stat().st_size if path.is_file() else 0
    return 0


def _energy(services: Services, site: SiteSettings, language: str) -> list[str]:
    texts, known = TEXTS[language], services.chat.energy
    if not site.energy or known.basis is None:
        return [texts["about_energy_unknown"]]
    parts = ", ".join(texts[f"about_part_{part}"] for part in known.parts)
    pue = two_digits(services.settings.energy.pue, language, digits=3)
    sums = [
        texts[f"about_sum_{each.basis}"].format(
            days=SUMMED_DAYS, answers=each.answers, wh=two_digits(each.watt_hours, language)
        )
        for each in known.last_days()
    ]
    return [
        texts[f"about_energy_{known.basis}"].format(parts=parts),
        texts["about_shared"],
        texts["about_pue"].format(pue=pue),
        *sums,
    ]


def _privacy(services: Services, site: SiteSettings, texts: Texts) -> list[str]:
    settings = services.settings
    has_model_elsewhere = settings.chat.model and not is_model_here(settings)
    servers = {settings.embedder, settings.reranker, settings.index} & {"endpoint", "elasticsearch"}
    return [
        texts["about_kept"].format(days=site.retention_days),
        texts["about_typed_elsewhere" if has_model_elsewhere else "about_typed"],
        *([texts["about_typed_search"]] if servers else []),
        *_grades(services.chat.grading, texts),
        texts["about_addresses"],
        texts["about_tab"],
    ]


def _grades(grading: Grading | None, texts: Texts) -> list[str]:
    """Sentences on how answers are graded later, if they are."""
    if grading is None:
        return []
    told = texts["about_graded"].format(count=grading.answers)
    return [told, texts["about_graded_elsewhere"]] if grading.is_elsewhere else [told]


def _name(name: str) -> str:
    """The name of a model: the last part of a path or repository name."""
    return name.replace("\\", "/").rstrip("/").rpartition("/")[2]

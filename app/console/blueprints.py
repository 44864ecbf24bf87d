"""All blueprints of the console."""

from typing import Final

from app.console import (
    log,
    login,
    overview,
    page_list,
    pages,
    search_index,
    settings,
    site_texts,
    sites,
    sources,
    users,
)

BLUEPRINTS: Final = (
    pages.blueprint,
    login.blueprint,
    overview.blueprint,
    page_list.blueprint,
    sources.blueprint,
    sites.blueprint,
    site_texts.blueprint,
    search_index.blueprint,
    users.blueprint,
    settings.blueprint,
    log.blueprint,
)

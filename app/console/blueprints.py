"""All blueprints of the console."""

from typing import Final

from app.console import (
    annotations,
    curation,
    log,
    login,
    overview,
    page_list,
    pages,
    runs,
    search_index,
    settings,
    sites,
    sources,
    users,
)

BLUEPRINTS: Final = (
    pages.blueprint,
    login.blueprint,
    overview.blueprint,
    page_list.blueprint,
    curation.blueprint,
    annotations.blueprint,
    sources.blueprint,
    sites.blueprint,
    search_index.blueprint,
    runs.blueprint,
    users.blueprint,
    settings.blueprint,
    log.blueprint,
)

"""All blueprints of the console."""

from typing import Final

from app.console import (
    annotations,
    draft,
    log,
    login,
    overview,
    page_list,
    pages,
    questions,
    runs,
    search_index,
    settings,
    sites,
    sources,
    try_it,
    users,
)

BLUEPRINTS: Final = (
    pages.blueprint,
    login.blueprint,
    overview.blueprint,
    try_it.blueprint,
    draft.blueprint,
    questions.blueprint,
    page_list.blueprint,
    annotations.blueprint,
    sources.blueprint,
    sites.blueprint,
    search_index.blueprint,
    runs.blueprint,
    users.blueprint,
    settings.blueprint,
    log.blueprint,
)

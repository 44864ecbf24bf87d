"""A diagnosis of an installation: the checks of its status and further ones, with remedies."""

from collections.abc import Iterator
from typing import Final, NamedTuple

from app.document import Document
from app.errors import AuskunftError
from app.monitoring.check import Check, run_optional
from app.monitoring.readiness import checks
from app.services import Services
from app.settings.addresses import origin_of
from app.settings.sites import SiteSettings
from app.sources.factory import WEBSITE, make_source, reads_folders
from ingest.said import Said

REMEDIES: Final = {
    "page store": "check its server or disk; `auskunft restore FILE` restores a backup",
    "disk": "free some disk space, or make the data folder writable for this user",
    "sites": "correct `sources` of the site in auskunft.toml, or index its pages",
    "damaged pages": "save, import or pull these pages again",
    "broker": "start Redis, or correct AUSKUNFT_BROKER_URL",
    "workers": "start `auskunft worker`",
    "schedule": "start `auskunft beat`",
    "backlog": "start `auskunft serve`, or more workers",
    "index": "build it with `auskunft reindex`; with Elasticsearch, check its server and address first",
    "vectors": "run `auskunft reconcile`",
    "embedder": "`auskunft embedders` says what is missing; if it is a server, start it",
    "reranker": "start its server, or correct its address in [rerankers]",
    "reader": "follow the message, or set read_blocks = 0 in the preset",
    "language model": "start its server, or correct base_url, model and key in [chat]",
    "model context": "set context_tokens in [chat] to what the server really has, or choose another preset",
    "rebuild": "correct the problem shown, then run `auskunft reindex`",
    "sources": "correct the problem shown, then run `auskunft pull NAME`",
    "halted pulls": "check the website, then run `auskunft sources take-over NAME` or `keep NAME`",
    "background": "check the log of the server or worker",
    "reconciliation": "see docs/operations.md, “Every night”, for each case",
    "pages": "index some with `auskunft init ADDRESS` or `auskunft index PATH`",
    "widget": "add the website, such as https://www.town.example, to `origins` of the site in auskunft.toml",
}
"""Remedies by names of checks; the checks of features state theirs themselves."""

OTHER: Final = "follow the message; docs/operations.md explains it"


class Finding(NamedTuple):
    """A check with its remedy, which is empty if the check is ok."""

    check: Check
    remedy: str


class FindingDocument(Document):
    """A finding."""

    name: str
    ok: bool
    detail: str
    remedy: str


def diagnose(services: Services) -> list[Finding]:
    """Run all checks."""
    found = [
        *checks(services),
        *run_optional("pages", lambda: list(_pages(services))),
        *run_optional("sources", lambda: list(_sources(services))),
        *run_optional("widget", lambda: list(_widget(services))),
    ]
    return [Finding(check, "" if check.ok else REMEDIES.get(check.name, OTHER)) for check in found]


def _pages(services: Services) -> Iterator[Check]:
    """Report an installation without indexed pages to answer from."""
    counts = services.store.counts_by_source().values()
    indexed = sum(states.get("indexed", 0) for states in counts)
    detail = f"{indexed:,} indexed" if indexed else "none is indexed, so nothing can be answered"
    yield Check(name="pages", ok=bool(indexed), detail=detail, required=False)


def _sources(services: Services) -> Iterator[Check]:
    """Report sources with invalid options, because no pull of them can succeed."""
    for name, table in services.settings.sources.items():
        if not table.kind or reads_folders(table.kind):
            continue
        try:
            make_source(services.settings, name, services.sources.client)
        except AuskunftError as error:
            yield Check(name="sources", ok=False, detail=Said.of(error), required=False)


def _widget(services: Services) -> Iterator[Check]:
    """Report sites whose chat browsers would not show on any website that the site searches."""
    for site in services.settings.sites:
        websites = _websites(services, site)
        if site.suspended or not websites.isdisjoint(site.origins):
            continue
        if site.origins and websites:
            searched = ", ".join(sorted(websites))
            detail = f'site "{site.key}" searches pages of {searched}, but these may not show its chat'
            yield Check(name="widget", ok=False, detail=detail, required=False)
        elif not site.origins:
            detail = f'site "{site.key}" has no origins: no other website may show its chat'
            yield Check(name="widget", ok=True, detail=detail, required=False)


def _websites(services: Services, site: SiteSettings) -> set[str]:
    """Return the origins of the websites that a site searches, taken from their pages."""
    searched = [
        name
        for name, table in services.settings.sources.items()
        if table.kind == WEBSITE and site.searches(frozenset((name,)))
    ]
    firsts = (next(iter(services.page_list.records(name, "indexed")), None) for name in searched)
    return {origin_of(page.url) for page in firsts if page is not None}

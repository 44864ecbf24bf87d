"""The check of the sites: who may ask about which sources, and which sites could not answer."""

from collections.abc import Collection, Iterator, Sequence
from typing import Final

from app.errors import AuskunftError
from app.monitoring.check import Check
from app.services import Services
from app.settings.sites import SiteSettings
from ingest.said import Said, joined

NAME: Final = "sites"

_OPEN: Final = Said("default: everybody who reaches the service may ask about all sources")


def site_check(services: Services) -> Check:
    """Report who may ask, and sites that search sources without pages. Raises ``PageStoreUnavailableError``.

    The check is not required: after a 503 a proxy would take the server out, and with it the other sites, and
    the address to which a CMS sends the missing pages.
    """
    sites, filled = services.chat.sites.all(), services.store.sources()
    troubles = [
        _complaint(site, empty, filled)
        for site in sites
        if (empty := empty_sources(site, filled, services.settings.sources))
    ]
    if not sites:
        troubles = [Said("all declared sites are suspended: nobody can ask")]
    if not services.settings.sites:
        return Check(name=NAME, ok=True, detail=_OPEN, required=False)
    troubles += _unknown_presets(services)
    said = troubles or map(_described, sites)
    return Check(name=NAME, ok=not troubles, detail=joined(said), required=False)


def _unknown_presets(services: Services) -> Iterator[Said]:
    """Yield the errors of sites' presets; the installation's preset is reported by another check."""
    for site in services.chat.sites.all():
        for variant in filter(lambda variant: variant.preset, site.variants()):
            try:
                services.chat.pipelines.preset_of(variant)
            except AuskunftError as error:
                yield Said.of(error)


def empty_sources(site: SiteSettings, filled: Sequence[str], declared: Collection[str]) -> list[str]:
    """Return sources of the site that have no pages (are not ``filled``).

    All are returned if the site, or one of its indexes, searches no others; otherwise only those that are not
    ``declared`` in the settings either.
    """
    empty = []
    for variant in site.variants():
        lacking = [name for name in variant.sources if name not in filled]
        is_mute = len(lacking) == len(variant.sources)
        empty += [name for name in lacking if is_mute or name not in declared]
    return list(dict.fromkeys(empty))


def _complaint(site: SiteSettings, empty: Sequence[str], filled: Sequence[str]) -> Said:
    names = ", ".join(f'"{name}"' for name in empty)
    what = Said(
        "source {names}, which has" if len(empty) == 1 else "sources {names}, which have", names=names
    )
    known = (
        Said("sources with pages: {names}", names=", ".join(filled))
        if filled
        else Said("no source has any pages yet")
    )
    return Said('site "{site}" searches {what} no pages; {known}', site=site.key, what=what, known=known)


def _described(site: SiteSettings) -> Said:
    searched = dict.fromkeys(name for variant in site.variants() for name in variant.sources)
    where = f"{site.key} ({', '.join(site.origins)})" if site.origins else site.key
    if not searched:
        return Said("{where}: all sources", where=where)
    return Said("{where}: sources {names}", where=where, names=", ".join(searched))

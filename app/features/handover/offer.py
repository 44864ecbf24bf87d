"""The offer to visitors of a site where an answer does not help."""

from __future__ import annotations

from typing import TYPE_CHECKING

from app.chat.offers import Offer
from app.document import package_json

if TYPE_CHECKING:
    from app.services import Services
    from app.settings.sites import SiteSettings


def offer(_services: Services, site: SiteSettings) -> Offer | None:
    """The page of the hand-over, or the form of the website's own; ``None`` where there is neither."""
    if site.handover is None:
        return None
    form = site.handover.form
    return Offer(
        labels=package_json(__package__, "texts/offer.json"), address=form or "handover", posted=not form
    )

"""The offer of a hand-over to visitors if an answer does not help."""

from __future__ import annotations

from typing import TYPE_CHECKING

from app.chat.offers import Offer
from app.document import package_json

if TYPE_CHECKING:
    from app.services import Services
    from app.settings.sites import SiteSettings


def offer(_services: Services, site: SiteSettings) -> Offer | None:
    """Return the offer of the hand-over page, or of the website's own form; ``None`` if there is neither."""
    if site.handover is None:
        return None
    form = site.handover.form
    return Offer(
        labels=package_json(__package__, "texts/offer.json"), address=form or "handover", posted=not form
    )

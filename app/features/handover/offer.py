"""The offer to visitors of a site where an answer does not help."""

from __future__ import annotations

import json
from collections.abc import Mapping
from functools import cache
from importlib.resources import files
from typing import TYPE_CHECKING

from app.chat.offers import Offer

if TYPE_CHECKING:
    from app.services import Services
    from app.settings.sites import SiteSettings


def offer(_services: Services, site: SiteSettings) -> Offer | None:
    """The page of the hand-over, or the form of the website's own; ``None`` where there is neither."""
    if site.handover is None:
        return None
    form = site.handover.form
    return Offer(labels=labels(), address=form or "handover", posted=not form)


@cache
def labels() -> Mapping[str, str]:
    """The offer in every language of the chat."""
    found: dict[str, str] = json.loads(files(__package__).joinpath("texts/offer.json").read_text("utf-8"))
    return found

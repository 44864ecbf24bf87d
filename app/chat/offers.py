"""Offers to visitors whom an answer does not help, provided by features for a site."""

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Self

from app.chat.text.catalogue import FALLBACK_LANGUAGE
from app.document import Document


@dataclass(frozen=True, slots=True, kw_only=True)
class Offer:
    """An offer. ``labels``: by language, at least English. ``address``: a path below the root of this
    service, or a full URL. ``posted``: True for a page of this service that is opened by a form, which posts
    the ids of conversation and answer, with ``site`` and ``lang`` in the query; otherwise a link opens it."""

    labels: Mapping[str, str]
    address: str
    posted: bool

    def label(self, language: str) -> str:
        """Return the label in that language, otherwise in English."""
        return self.labels.get(language) or self.labels[FALLBACK_LANGUAGE]


class OfferDocument(Document):
    """An offer in one language."""

    label: str
    address: str
    posted: bool

    @classmethod
    def of(cls, offer: Offer, language: str) -> Self:
        """Describe an offer."""
        return cls.from_objects(offer, label=offer.label(language))

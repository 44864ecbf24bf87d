"""The options of answering."""

from dataclasses import dataclass
from typing import Literal

from app.chat.model.prompts import UNNAMED_SITE, SiteDescription
from app.chat.text.catalogue import FALLBACK_LANGUAGE
from app.presets import Context, Purpose

Form = Literal["full", "small"]
"""The form of an answer with a model: it writes the answer; or, for small models, passages come first, as
without one, and it summarises them."""


@dataclass(frozen=True, slots=True, kw_only=True)
class ChatOptions:
    """Limits in tokens, seconds and characters, how questions are searched, and what the model is told.

    ``site``: name and subject of the website, for the model. ``form``: of answers, for a small model or one
    that follows instructions. ``purpose``: the prompt where both pages and law
    are found. ``context``: what the model reads. ``budget_tokens``: of all pages in the prompt.
    ``corpus_tokens``: a site of at most so many is read as a whole. ``linked_share``: of that budget, for
    pages that hits are linked to. ``remembered_pages``: how many of those that earlier answers cite are read
    again. ``second_search``: True if the model may ask for one more search. ``answer_tokens``: of the longest
    answer. ``rephrase``: True if the model rephrases first questions too, not only follow-ups; ``expand``: in
    more detail. ``extract``: True if it then also returns keywords and the time that is asked for.
    ``translate``: True if the question is searched for in the pages' languages, too.
    ``keep_original``: True if the hits of the original question stay beside those of the rephrased one.
    ``passages_seconds``: how long the model is waited for before passages are shown. ``contact``: named to
    visitors where the pages have no answer. ``language``: of our own sentences where neither question nor
    pages show one. ``time_zone`` and ``region``: the site's, for what is true of a day; the first is an IANA
    name, the second a country or a part of it (ISO 3166), whose public holidays count.
    ``cards``: True if facts of pages are told above answers.
    """

    site: SiteDescription = UNNAMED_SITE
    form: Form = "full"
    purpose: Purpose = "answer"
    context: Context = "blocks"
    budget_tokens: int = 6_000
    corpus_tokens: int = 0
    linked_share: float = 0.0
    remembered_pages: int = 0
    second_search: bool = False
    answer_tokens: int = 1_000
    rephrase: bool = True
    expand: bool = False
    extract: bool = False
    translate: bool = False
    keep_original: bool = True
    rephrase_seconds: float = 8.0
    passages_seconds: float = 5.0
    question_characters: int = 2_000
    contact: str = ""
    language: str = FALLBACK_LANGUAGE
    time_zone: str = "Europe/Berlin"
    region: str = "DE"
    cards: bool = True

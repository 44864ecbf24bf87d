"""The options of answering."""

from dataclasses import dataclass
from typing import Literal

from app.chat.model.prompts import UNNAMED_SITE, SiteDescription
from app.chat.text.catalogue import FALLBACK_LANGUAGE
from app.presets import Context, Purpose

Form = Literal["full", "small"]
"""The form of an answer with a model. ``full``: the model writes it; ``small``: passages come first, as
without a model, and a small model summarises them."""


@dataclass(frozen=True, slots=True, kw_only=True)
class ChatOptions:
    """Options of searching, prompts and answers, with limits in tokens, seconds and characters.

    * ``site``: name and subject of the website, for the model
    * ``form``: see :data:`Form`
    * ``purpose``: the prompt if both pages and law are found
    * ``context``: fill the prompt with the best blocks of any page, or with passages page after page
    * ``budget_tokens``: the most tokens of all pages in the prompt
    * ``corpus_tokens``: a site of at most so many tokens goes into the prompt as a whole
    * ``linked_share``: the share of the budget for pages that hits link to
    * ``remembered_pages``: put at most so many pages that earlier answers cite into the prompt again
    * ``second_search``: the model may ask for one more search
    * ``answer_tokens``: the most tokens of an answer
    * ``rephrase``: the model rephrases first questions, too, not only follow-ups; ``expand``: in more detail
    * ``extract``: the model then also returns keywords and the time asked for
    * ``translate``: the question is also searched for in the pages' other languages
    * ``keep_original``: merge the hits for the question as asked with those for the rephrased one
    * ``passages_seconds``: show passages if the model has not begun after so long
    * ``contact``: given to visitors if the pages have no answer
    * ``language``: of our own sentences if neither question nor pages show one
    * ``time_zone`` (IANA), ``region`` (a country or a part of it, ISO 3166, for its public holidays): the
      site's, for facts that depend on the day
    * ``cards``: show cards above answers
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

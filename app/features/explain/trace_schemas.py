"""A question's way as JSON: the request model, and the schemas of what is returned."""

from typing import Final, Literal, Self, get_args

from pydantic import BaseModel, ConfigDict, Field, model_validator

from app.api.openapi import (
    DEGRADED,
    FLAG,
    MODE,
    MOMENT,
    NUMBER,
    PASSAGE,
    SHARE,
    TEXT,
    Schema,
    list_of,
    object_of,
    or_none,
)
from app.api.page_documents import PageDetailsDocument
from app.api.schemas import Day, Language, Text
from app.errors import InputError
from app.features.explain.why_not import Cause, RemedyCode
from ingest.types import PageRef

_REF: Final[dict[str, Schema]] = {"source": TEXT, "id": TEXT, "language": TEXT}
_PAGE: Final[dict[str, Schema]] = {**_REF, "url": TEXT, "title": TEXT, "updated": or_none(MOMENT)}
_SHARES: Final[Schema] = {"type": "object", "additionalProperties": SHARE}
_PLACES: Final[Schema] = {"type": "object", "additionalProperties": NUMBER}
_TEXTS: Final = list_of(TEXT)
_FIELDS: Final[Schema] = {
    "type": "object",
    "additionalProperties": object_of(
        {
            "similarity": SHARE,
            "added": SHARE,
            "relevance": or_none(SHARE),
            "threshold": or_none(SHARE),
            "passed": or_none(FLAG),
            "chunks": list_of(
                object_of(
                    {
                        "position": NUMBER,
                        "start": NUMBER,
                        "end": NUMBER,
                        "similarity": SHARE,
                        "text": TEXT,
                    }
                )
            ),
        }
    ),
}
_TRACED_SEARCH: Final = object_of(
    {
        "asked": TEXT,
        "question": TEXT,
        "language": or_none(TEXT),
        "corrections": list_of(object_of({"word": TEXT, "spelt": TEXT, "compound": FLAG})),
        "words": _TEXTS,
        "translations": {"type": "object", "additionalProperties": _TEXTS},
        "keywords": _TEXTS,
        "preset": TEXT,
        "ranking": TEXT,
        "generation": or_none(NUMBER),
        "mode": MODE,
        "degraded": DEGRADED,
        "thresholds": or_none(_SHARES),
        "minimum_coverage": SHARE,
        "limit": NUMBER,
        "arms": _PLACES,
        "pages": list_of(
            object_of(
                {
                    **_PAGE,
                    "passed": FLAG,
                    "place": or_none(NUMBER),
                    "rank": or_none(NUMBER),
                    "score": or_none(SHARE),
                    "parts": _SHARES,
                    "ranks": _PLACES,
                    "coverage": SHARE,
                    "words_missing": _TEXTS,
                    "fields": _FIELDS,
                }
            )
        ),
        "chunks": list_of(
            object_of(
                {
                    **_PAGE,
                    "position": NUMBER,
                    "start": NUMBER,
                    "end": NUMBER,
                    "score": SHARE,
                    "similarity": or_none(SHARE),
                    "ranks": _PLACES,
                    "text": TEXT,
                }
            )
        ),
        "by_words": list_of(
            object_of(
                {"mode": TEXT, "words": _TEXTS, "pages": list_of(object_of({**_PAGE, "coverage": SHARE}))}
            )
        ),
        "reranked": list_of(SHARE),
        "certainty": or_none(
            object_of({"score": SHARE, "off_topic": or_none(SHARE), "threshold": SHARE, "certainty": TEXT})
        ),
    }
)
_WHY_NOT: Final = object_of(
    {
        "name": TEXT,
        "page": or_none(object_of(_REF)),
        "cause": {"enum": list(get_args(Cause))},
        "sentence": TEXT,
        "number": or_none(NUMBER),
        "is_older_version": FLAG,
        "state": or_none(PageDetailsDocument.model_json_schema()),
        "weighed": or_none(
            object_of(
                {
                    **_PAGE,
                    "search": NUMBER,
                    "was_candidate": FLAG,
                    "passed": FLAG,
                    "place": or_none(NUMBER),
                    "limit": NUMBER,
                    "score": SHARE,
                    "parts": _SHARES,
                    "coverage": SHARE,
                    "fields": _FIELDS,
                    "words_missing": _TEXTS,
                    "words_not_in_headings": _TEXTS,
                    "beaten_by": list_of(
                        object_of(
                            {
                                **_PAGE,
                                "place": NUMBER,
                                "score": SHARE,
                                "ahead": _SHARES,
                                "strongest": TEXT,
                                "newer": or_none(FLAG),
                            }
                        )
                    ),
                }
            )
        ),
        "remedies": list_of(
            object_of(
                {
                    "code": {"enum": list(get_args(RemedyCode))},
                    "values": {"type": "object", "additionalProperties": TEXT},
                    "sentence": TEXT,
                }
            )
        ),
    }
)
_SPAN: Final = object_of({"start": NUMBER, "end": NUMBER, "relevance": SHARE})
TRACE: Final = object_of(
    {
        "question": TEXT,
        "answer": {"type": "object", "required": ["status", "html", "sources", "degraded"]},
        "sources": _TEXTS,
        "rephrased": or_none(
            object_of({"question": or_none(TEXT), "keywords": _TEXTS, "rejected": or_none(TEXT)})
        ),
        "translations": list_of(object_of({"language": TEXT, "question": TEXT, "accepted": FLAG})),
        "looked_up": list_of(object_of(_PAGE)),
        "searches": list_of(_TRACED_SEARCH),
        "found": or_none(
            object_of(
                {
                    "question": TEXT,
                    "mode": MODE,
                    "degraded": DEGRADED,
                    "certainty": TEXT,
                    "relevance": or_none(SHARE),
                    "hits": list_of(
                        object_of(
                            {
                                **_PAGE,
                                "rank": NUMBER,
                                "score": SHARE,
                                "passages": list_of(PASSAGE),
                                "near": list_of(_SPAN),
                                "linked": list_of(object_of({**_PAGE, "link": or_none(TEXT)})),
                            }
                        )
                    ),
                    "offered": list_of(object_of(_PAGE)),
                }
            )
        ),
        "refused": or_none(TEXT),
        "second_search": TEXT,
        "read": or_none(
            object_of(
                {
                    "budget_tokens": or_none(NUMBER),
                    "tokens": NUMBER,
                    "whole_site": FLAG,
                    "sources": list_of(
                        object_of(
                            {
                                **_PAGE,
                                "number": or_none(NUMBER),
                                "used": FLAG,
                                "earlier": FLAG,
                                "text": TEXT,
                                "characters": NUMBER,
                                "tokens": NUMBER,
                                "page_characters": NUMBER,
                                "passages": list_of(
                                    object_of({"field": TEXT, "start": NUMBER, "end": NUMBER})
                                ),
                            }
                        )
                    ),
                }
            )
        ),
        "blocks": list_of(
            object_of(
                {
                    **_PAGE,
                    "kind": TEXT,
                    "headings": _TEXTS,
                    "score": SHARE,
                    "start": NUMBER,
                    "end": NUMBER,
                    "characters": NUMBER,
                    "read": FLAG,
                    "text": TEXT,
                }
            )
        ),
        "prompt": list_of(object_of({"role": TEXT, "content": TEXT})),
        "steps": list_of(object_of({"step": TEXT, "seconds": SHARE})),
        "seconds": SHARE,
    },
    {"why_not": _WHY_NOT},
)


class PageName(BaseModel):
    """One page: its reference, or its address."""

    model_config = ConfigDict(extra="forbid", strict=True)

    source: Text | None = None
    id: Text | None = Field(default=None, min_length=1, description="the page's id")
    language: Language | Literal["und"] | None = None
    url: Text | None = Field(default=None, min_length=1, description="its address, in place of the others")

    @model_validator(mode="after")
    def _names_one(self) -> Self:
        if (self.id is None) == (self.url is None):
            raise ValueError("give the page's id or its url")
        if self.url is None and (self.source is None) != (self.language is None):
            raise ValueError("give both source and language, or neither")
        return self

    @property
    def name(self) -> str | PageRef:
        """The reference if it is whole, else the id or address. Raises ``InputError``."""
        if self.source is None or self.language is None or self.id is None:
            return self.url or self.id or ""
        try:
            return PageRef(source=self.source, id=self.id, language=self.language)
        except ValueError as error:
            raise InputError(str(error)) from error


class TraceRequest(BaseModel):
    """The body of ``POST /api/admin/trace``."""

    model_config = ConfigDict(extra="forbid", strict=True)

    question: Text = Field(min_length=1)
    site: Text = Field(default="", description="the site's key; the installation's preset without")
    preset: Text = Field(default="", description="in place of the site's")
    source: Text = Field(default="", description="search this source only")
    conversation: Text = Field(default="", max_length=64, description="the one to go on with")
    language: Language | None = None
    at: Day | None = None
    page: PageName | None = Field(default=None, description="the page to be explained: why is it not found?")
    texts: Literal["en", "de"] = Field(default="en", description="the language of the sentences")

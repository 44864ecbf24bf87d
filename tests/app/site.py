"""The pages of the small installation, some of them hostile."""

from typing import Final

from ingest.types import PageRef, RawField, RawPage, Save

SOURCE: Final = "town"

XSS: Final = (
    "<script>alert(1)</script>",
    "<img src=x onerror=alert(1)>",
    "<svg/onload=alert(1)>",
    '"><script>alert(1)</script>',
    "'><img src=x onerror=alert(1)>",
    "</title><script>alert(1)</script>",
    "</template></textarea><script>alert(1)</script>",
    "<a href='javascript:alert(1)'>click</a>",
    "<iframe srcdoc='<script>alert(1)</script>'></iframe>",
    "{{ 7 * 7 }}<script>alert(1)</script>",
    '<body onload="alert(1)">',
    "<math><mtext><style><img src=x onerror=alert(1)></style></mtext></math>",
    "<!--><script>alert(1)</script>-->",
    "<details open ontoggle=alert(1)>",
)

DOG_TAX: Final = (
    "dog-tax",
    "Dog tax",
    "The dog tax is 96 euros a year for the first dog. Every further dog costs 144 euros a year. "
    "Guide dogs are exempt from the dog tax. Register a dog within two weeks at the town hall.",
)
POOL: Final = (
    "pool",
    "Outdoor pool",
    "The outdoor pool opens in May and closes in September. A day ticket costs four euros. "
    "Swimming lessons for children take place on Tuesday afternoon.",
)

PAGES: Final = (
    DOG_TAX,
    POOL,
    *(
        (f"evil-{i}", f"Quarantine report {i} {text}", f"The quarantine of parcel {i} says {text} in full.")
        for i, text in enumerate(XSS)
    ),
)


def raw_page(identifier: str, title: str, content: str) -> Save:
    """A page as plain text; the hostile ones have a hostile address too."""
    evil = identifier.startswith("evil")
    fields = {
        "title": RawField(text=title, media_type="text/plain"),
        "content": RawField(text=content, media_type="text/plain"),
    }
    return Save(
        page=RawPage(
            ref=PageRef(source=SOURCE, id=identifier, language="en"),
            document=identifier,
            url=f"javascript:alert('{identifier}')" if evil else f"https://town.example/{identifier}",
            fields=fields,  # type: ignore[arg-type]
        )
    )

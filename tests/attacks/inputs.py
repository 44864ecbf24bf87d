"""What nobody should send. The start stands in ``tests/app/api/test_bad_input.py``."""

import json
from collections.abc import Iterator
from itertools import product
from typing import Any, Final

from tests.app.api.test_bad_input import LONG, TYPES

ENDS: Final = {
    ("chat", "conversation", "null"),
    ("chat", "language", "null"),
    ("chat", "source", "null"),
    ("chat", "at", "null"),
    ("feedback", "comment", "empty"),
    ("reindex", "source", "null"),
    ("reindex", "take_over", "true"),
    ("reindex", "take_over", "false"),
}
"""Values that may be sent."""

VALUES: Final[dict[str, Any]] = {
    "null": None,
    "true": True,
    "false": False,
    "zero": 0,
    "a negative number": -1,
    "a fraction": 1.5,
    "a huge number": 10**400,
    "a huge fraction": 1e308,
    "not a number": float("nan"),
    "an empty list": [],
    "a list": ["dog-tax"],
    "an empty object": {},
    "an object": {"$ne": ""},
    "empty": "",
    "NUL": "dog\0tax",
    "a lone surrogate": "dog \udfff tax",
    "too long": LONG,
}
VALID: Final[dict[str, dict[str, Any]]] = {
    "chat": {"question": "How much is the dog tax?", "conversation": None, "language": "en"},
    "feedback": {"answer": "x" * 22, "rating": "up", "comment": "Thanks"},
    "reindex": {"take_over": False},
}
FIELDS: Final = {
    "chat": ("question", "conversation", "language", "source", "at"),
    "feedback": ("answer", "rating", "comment"),
    "reindex": ("source", "take_over"),
}
PATHS: Final = {
    "chat": "/api/chat?site=town",
    "feedback": "/api/feedback?site=town",
    "reindex": "/api/admin/reindex",
}


def wrong_fields() -> Iterator[tuple[str, str, dict[str, Any]]]:
    """``(endpoint, name, document)``: every field of every body with every wrong value."""
    for endpoint, fields in FIELDS.items():
        for field, (name, value) in product(fields, VALUES.items()):
            if (endpoint, field, name) not in ENDS:
                yield endpoint, f"{field} {name}", {**VALID[endpoint], field: value}


MISTAKES: Final[dict[str, Any]] = {
    "null": None,
    "a number": 5,
    "a string": "question",
    "an empty list": [],
    "documents": [{}, {}],
    "an unknown field": {"temperature": 2},
    "a dunder field": {"__class__": "x"},
    "a prototype": {"__proto__": {"question": "dog tax"}},
    "an empty name": {"": "x"},
    "a name with NUL": {"question\0": "x"},
    "many unknown fields": {f"field{n}": n for n in range(2_000)},
}

TOO_DEEP: Final = b"[" * 30_000 + b"]" * 30_000
"""As deep as a body may be long."""

TOO_LARGE: Final = b"[" * 100_000

MORE_TYPES: Final = (
    *TYPES,
    "application/jsonx",
    "application/javascript",
    "application/xml",
    "application/octet-stream",
    "application",
    "*/*",
    "application/json/x",
    "x" * 3_000,
)

SITES: Final = {
    "unknown": "site=nowhere",
    "empty": "site=",
    "the default one": "",
    "in capitals": "site=TOWN",
    "with a space": "site=town%20",
    "with NUL": "site=town%00",
    "no UTF-8": "site=%ff%fe",
    "a surrogate": "site=%ed%a0%80",
    "a path": "site=..%2ftown",
    "a list": "site[]=town",
    "SQL": "site=town'%20OR%20'1'='1",
    "suspended": "site=gone",
    "long": "site=" + "t" * 5_000,
}

IDS: Final = {
    "unknown": "x" * 22,
    "a word": "null",
    "a negative number": "-1",
    "dots": "...",
    "a path": "..%2f..%2f..%2fetc%2fpasswd",
    "an encoded path": "%2e%2e%2f%2e%2e%2fpasswd",
    "a path encoded twice": "%252e%252e%252fpasswd",
    "backslashes": "..%5c..%5cpasswd",
    "NUL": "x%00y",
    "no UTF-8": "%ff%fe",
    "a surrogate": "%ed%a0%80",
    "half an escape": "%",
    "a wildcard": "*",
    "SQL": "'%20OR%20'1'='1",
    "LIKE": "%25",
    "line ends": "x%0d%0aSet-Cookie:%20a=b",
    "markup": "%3Cscript%3Ealert(1)%3C%2Fscript%3E",
    "a template": "%7B%7B7*7%7D%7D",
    "an emoji": "%F0%9F%90%95",
    "right to left": "%E2%80%AEx",
    "parameters": "x;y=z",
    "long": "x" * 5_000,
}
BY_ID: Final = (
    ("GET", "/api/answers/{}"),
    ("POST", "/api/answers/{}/stop"),
    ("GET", "/api/conversations/{}"),
    ("DELETE", "/api/conversations/{}"),
    ("GET", "/api/admin/jobs/{}/answers"),
    ("GET", "/api/admin/questions/{}"),
    ("POST", "/api/admin/questions/{}/replay"),
    ("GET", "/api/admin/reindex/{}"),
    ("DELETE", "/api/admin/reindex/{}"),
    ("GET", "/api/jobs/{}"),
)
VISITORS: Final = (
    ("POST", "/api/chat"),
    ("POST", "/api/feedback"),
    ("GET", "/api/search"),
    ("GET", "/api/site"),
    ("GET", "/api/answers/x"),
    ("POST", "/api/answers/x/stop"),
    ("GET", "/api/conversations/x"),
    ("DELETE", "/api/conversations/x"),
)
ADMINISTRATORS: Final = (
    ("GET", "/api/admin/questions"),
    ("GET", "/api/admin/questions/counts"),
    ("GET", "/api/admin/jobs/x/answers"),
    ("GET", "/api/admin/questions/x"),
    ("POST", "/api/admin/questions/x/replay"),
    ("GET", "/api/admin/questions/groups"),
    ("POST", "/api/admin/questions/groups"),
    ("PUT", "/api/admin/questions/groups/x/note"),
    ("GET", "/api/admin/reindex"),
    ("POST", "/api/admin/reindex"),
    ("GET", "/api/admin/reindex/x"),
    ("DELETE", "/api/admin/reindex/x"),
)

QUERIES: Final = {
    "/api/search?site=town": (
        "q=dog&colour=red",
        "q=%00",
        "q=%E2%80%8B",
        "q=" + "x" * 2_001,
        "q=dog&limit=1e3",
        "q=dog&limit=0x10",
        "q=dog&limit=NaN",
        "q=dog&limit=-0",
        "q=dog&limit=%D9%A1",
        "q=dog&at=2023-02-31",
        "q=dog&at=0000-00-00",
        "q=dog&at=99999-01-01",
        "q=dog&at=2023-01-31%0a",
        "q=dog&language=de%0a",
        "q=dog&language=",
        "q=dog&language=d%C3%A9",
        "q=dog&source=..%2f",
        "q=dog&source=town%00",
        "q[]=dog",
        "&&&=&=",
        "&".join(f"p{n}=1" for n in range(1_000)),
    ),
    "/api/site?site=town": ("colour=red", "key=town", "site[]=town", "__class__=x"),
    "/api/answers/x?site=town": ("colour=red", "anchor=x"),
    "/api/conversations/x?site=town": ("colour=red", "limit=1"),
    "/api/admin/questions?": (
        "colour=red",
        "site=nowhere",
        "site=%00",
        "kind=none",
        "kind=",
        "since=yesterday",
        "since=2023-02-31",
        "since=",
        "since=2023-01-31T00:00:00",
        "format=pdf",
        "format=",
        "format=CSV",
        "after=%00",
        "after=99999999999999999-%27",
        "limit=1e3",
        "outcome=",
        "until=2023-02-31",
        "text=" + "x" * 201,
    ),
    "/api/admin/questions/groups?": ("colour=red", "after=1", "after=x-1", "limit=0", "state=gone"),
    "/api/admin/questions/counts?": (
        "group=-1",
        "colour=red",
        "format=csv",
        "after=1-a",
        "site=nowhere",
        "rating=many",
    ),
    "/api/sources/town/pages?": ("", "id=", "id=%00", "id=x&colour=red"),
}

METHODS: Final = ("GET", "POST", "PUT", "PATCH", "DELETE", "TRACE", "CONNECT", "PROPFIND", "BREW", "X" * 100)
TAKEN: Final = {
    "/api/chat": ("POST",),
    "/api/feedback": ("POST",),
    "/api/search": ("GET",),
    "/api/site": ("GET",),
    "/api/answers/x": ("GET",),
    "/api/answers/x/stop": ("POST",),
    "/api/conversations/x": ("GET", "DELETE"),
    "/api/admin/questions": ("GET",),
    "/api/admin/questions/counts": ("GET",),
    "/api/admin/questions/x": ("GET",),
    "/api/admin/questions/x/replay": ("POST",),
    "/api/admin/questions/groups": ("GET", "POST"),
    "/api/admin/questions/groups/x/note": ("PUT",),
    "/api/admin/reindex/x": ("GET", "DELETE"),
    "/api/jobs/x": ("GET",),
}

NO_TOKENS: Final = {
    "none": None,
    "empty": "",
    "no scheme": "an-administrator-token-of-attacks",
    "no token": "Bearer",
    "an empty token": "Bearer ",
    "the beginning": "Bearer an-administrator-token",
    "one character more": "Bearer an-administrator-token-of-attacksx",
    "in capitals": "Bearer AN-ADMINISTRATOR-TOKEN-OF-ATTACKS",
    "of another scheme": "Basic an-administrator-token-of-attacks",
    "a password": "Basic YWRtaW46YW4tYWRtaW5pc3RyYXRvci10b2tlbi1vZi1hdHRhY2tz",
    "twice": "Bearer an-administrator-token-of-attacks, Bearer an-administrator-token-of-attacks",
    "other letters": "Bearer \u00e4n-administrator-token-of-attacks",
    "long": "Bearer " + "x" * 5_000,
}

QUERY_NAMES: Final = (
    *("endpoint", "values", "self", "_anchor", "_method", "_scheme", "_external", "lang", "site_key"),
    *(
        "request",
        "texts",
        "language",
        "languages",
        "question",
        "failure",
        "template",
        "is_growing",
        "__class__",
    ),
    *("__class__", "filename", "page_id", "q", "", " ", "a b", "a&b", "\0", '"><script>', "ä", "x" * 500),
)
"""Names of query parameters: those that Flask, Jinja and our own functions know, and hardly any."""

FORM: Final = "application/x-www-form-urlencoded"
PAGES: Final[dict[str, tuple[str, bytes, str]]] = {
    "no question": ("/chat?site=town", b"", FORM),
    "an empty one": ("/chat?site=town", b"q=", FORM),
    "a blank one": ("/chat?site=town", b"q=%20%09%0a", FORM),
    "an invisible one": ("/chat?site=town", b"q=%E2%80%8B%E2%81%A0", FORM),
    "NUL alone": ("/chat?site=town", b"q=%00", FORM),
    "too long": ("/chat?site=town", b"q=" + b"x" * 2_001, FORM),
    "too many emojis": ("/chat?site=town", b"q=" + b"%F0%9F%90%95" * 2_001, FORM),
    "as JSON": ("/chat?site=town", json.dumps({"q": "dog tax"}).encode(), "application/json"),
    "as text": ("/chat?site=town", b"q=dog+tax", "text/plain"),
    "of no type": ("/chat?site=town", b"q=dog+tax", ""),
    "parts without a boundary": ("/chat?site=town", b"q=dog+tax", "multipart/form-data"),
    "parts that are none": ("/chat?site=town", b"q=dog+tax", "multipart/form-data; boundary=x"),
    "brackets": ("/chat?site=town", TOO_DEEP, FORM),
    "a conversation that there is not": ("/chat?site=town", b"q=dog+tax&conversation=x", FORM),
    "a conversation that is a path": ("/chat?site=town", b"q=dog+tax&conversation=..%2fx", FORM),
    "a conversation with NUL": ("/chat?site=town", b"q=dog+tax&conversation=%00", FORM),
    "a conversation that is no UTF-8": ("/chat?site=town", b"q=dog+tax&conversation=%ff", FORM),
    "a long conversation": ("/chat?site=town", b"q=dog+tax&conversation=" + b"x" * 5_000, FORM),
    "another site's": ("/chat?site=nowhere", b"q=dog+tax", FORM),
    "a suspended site's": ("/chat?site=gone", b"q=dog+tax", FORM),
    "a site with NUL": ("/chat?site=%00", b"q=dog+tax", FORM),
    "feedback of nothing": ("/chat/feedback?site=town", b"", FORM),
    "feedback of an unknown answer": (
        "/chat/feedback?site=town",
        b"conversation=x&answer=x&rating=up",
        FORM,
    ),
    "feedback without a conversation": ("/chat/feedback?site=town", b"answer=x&rating=up", FORM),
    "feedback with NUL": ("/chat/feedback?site=town", b"conversation=%00&answer=%00&rating=%00", FORM),
    "feedback as JSON": ("/chat/feedback?site=town", b'{"rating": "up"}', "application/json"),
    "feedback on a site that there is not": ("/chat/feedback?site=nowhere", b"answer=x&rating=up", FORM),
    "deleting on a site that there is not": ("/chat/delete?site=nowhere", b"conversation=x", FORM),
}

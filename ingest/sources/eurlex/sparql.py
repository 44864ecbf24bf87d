"""Lists of acts from the Publications Office's repository, by SPARQL.

A list is fetched in parts, each with the numbers after the last one received, because such servers sort and
skip at most 10,000 rows.
"""

import json
import re
from typing import Final
from urllib.parse import urlencode

from ingest.errors import FetchError, SourceError, SourceUnavailableError
from ingest.fetching import urls
from ingest.fetching.client import Fetcher
from ingest.fetching.validators import Validators
from ingest.sources.eurlex.names import is_celex

JSON: Final = ("application/sparql-results+json", "application/json")
PART: Final = 1_000
MAX_BYTES: Final = 5_000_000
ROWS_PER_ACT: Final = 10
"""A list may have this many rows per allowed act, because some rows are not acts."""


_PROLOGUE: Final = re.compile(r"(?:\s|#[^\n]*\n|PREFIX\s+[\w.-]*:\s*<[^<>\s]*>|BASE\s*<[^<>\s]*>)*", re.I)
_SELECT: Final = re.compile(r"SELECT\b[^{]*?(?:\?celex\b|\*)", re.I)
_PART: Final = """{prologue}
SELECT DISTINCT ?celex WHERE {{
{{ {query}
}} FILTER(STR(?celex) > "{after}")
}} ORDER BY STR(?celex) LIMIT {limit}"""

_IN_FORCE: Final = """\
PREFIX cdm: <http://publications.europa.eu/ontology/cdm#>
SELECT ?celex WHERE {{
  ?act cdm:resource_legal_id_celex ?celex ; cdm:resource_legal_in-force ?in_force ; {about} .
  FILTER(STR(?in_force) IN ("true", "1") && REGEX(STR(?celex), "^3[0-9]{{4}}[RLD][0-9]{{4}}$")
    && ({chosen}))
}}"""
_CONCEPT: Final = re.compile(r"\d{1,6}|c_[0-9a-f]{8}")
_CODE: Final = re.compile(r"\d\d(?:\.?\d\d){0,3}")


def by_eurovoc(concepts: list[str]) -> str:
    """Return a query for the regulations, directives and decisions in force on any of these EuroVoc subjects.
    Raises ``ValueError``."""
    for concept in concepts:
        if not _CONCEPT.fullmatch(concept):
            raise ValueError(
                f"option 'eurovoc': {concept[:40]!r} is not a subject: use its number, such as 5482"
            )
    chosen = ", ".join(f"<http://eurovoc.europa.eu/{concept}>" for concept in concepts)
    return _IN_FORCE.format(
        about="cdm:work_is_about_concept_eurovoc ?subject", chosen=f"?subject IN ({chosen})"
    )


def by_directory(codes: list[str]) -> str:
    """Return the same query for codes of the directory of legal acts and all codes below them. Raises
    ``ValueError``."""
    for code in codes:
        if not _CODE.fullmatch(code):
            raise ValueError(f"option 'directory': {code[:40]!r} is not a code: use one such as 13.20.60")
    starts = [f'STRSTARTS(REPLACE(STR(?code), "^.*/", ""), "{code.replace(".", "")}")' for code in codes]
    about = "cdm:resource_legal_is_about_concept_directory-code ?code"
    return _IN_FORCE.format(about=about, chosen=" || ".join(starts))


class ActList:
    """The CELEX numbers that ``query`` selects as ``?celex`` at the endpoint ``url``, at most ``max_acts``.

    Raises ``ValueError`` if it is not such a query, or is too long to be sent.
    """

    def __init__(self, fetcher: Fetcher, *, query: str, url: str, per_second: float, max_acts: int) -> None:
        self._fetcher = fetcher
        self._url = url
        self._per_second = per_second
        self._max_acts = max_acts
        prologue = _PROLOGUE.match(query)
        self._prologue = prologue[0].strip() if prologue else ""
        self._query = query[prologue.end() if prologue else 0 :].strip()
        if not _SELECT.match(self._query):
            raise ValueError("option 'query': use a SELECT with the variable ?celex")
        if len(self._address("x" * 20)) > urls.MAX_CHARACTERS:
            raise ValueError(f"option 'query': its address is longer than {urls.MAX_CHARACTERS:,} characters")

    def acts(self) -> list[str]:
        """Fetch the whole list, in order; values that are not CELEX numbers are left out.

        Raises ``SourceError`` if there is no act, there are too many, or the query is refused, and
        ``SourceUnavailableError`` if the list is not available or incomplete now.
        """
        found: list[str] = []
        rows = 0
        after = ""
        while part := self._part(after):
            if min(part) <= after:
                raise SourceUnavailableError(
                    f"{self._where}: the list of acts does not continue: it returned {after!r} again"
                )
            found += filter(is_celex, part)
            after = max(part)
            rows += len(part)
            if len(found) > self._max_acts:
                limit = f"more than {self._max_acts:,} acts"
                raise SourceError(f"{self._where}: {limit}: narrow the subject or raise max_acts")
            if rows > ROWS_PER_ACT * self._max_acts + PART:
                raise SourceError(
                    f"{self._where}: {rows:,} rows, most of which are not acts: narrow the query"
                )
            if len(part) < PART:
                break
        if not found:
            raise SourceError(
                f"{self._where}: no acts found for the subject: check eurovoc, directory or query"
            )
        return found

    @property
    def _where(self) -> str:
        return urls.shown(self._url)

    def _part(self, after: str) -> list[str]:
        try:
            fetched = self._fetcher.get_if_changed(
                self._address(after),
                Validators(),
                accept=JSON,
                max_bytes=MAX_BYTES,
                per_second=self._per_second,
            )
        except FetchError as error:
            if error.http_status == 400:
                raise SourceError(f"{self._where}: the query is refused: check it") from error
            raise SourceUnavailableError(
                f"{self._where}: the list of acts cannot be read: {error}"
            ) from error
        if fetched is None or "x-sql-state" in fetched.headers:  # the server ran out of time: partial results
            raise SourceUnavailableError(f"{self._where}: the list of acts is incomplete: narrow the subject")
        try:
            return read_celex(fetched.body)
        except ValueError as error:
            raise SourceUnavailableError(f"{self._where}: the reply is not a list of acts") from error

    def _address(self, after: str) -> str:
        escaped = after.replace("\\", "\\\\").replace('"', '\\"')
        query = _PART.format(prologue=self._prologue, query=self._query, after=escaped, limit=PART)
        return f"{self._url}?{urlencode({'query': query, 'format': JSON[0]})}"


def read_celex(body: bytes) -> list[str]:
    """Return the values of ``celex`` in SPARQL results. Raises ``ValueError`` if ``body`` is not such."""
    try:
        rows = json.loads(body)["results"]["bindings"]
        values = [str(row["celex"]["value"]) for row in rows]
        "".join(values).encode()  # raises ValueError for lone surrogates, which cannot be in an address
        return values
    except (LookupError, TypeError, RecursionError) as error:
        raise ValueError("no results of SPARQL with celex") from error

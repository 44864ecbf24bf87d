"""Texts of acts from the Publications Office, by CELEX number and language.

Its repository (Cellar) selects the format and language of a text by content negotiation, and lists an act's
consolidated texts by SPARQL. The website EUR-Lex has the same texts, but refuses programs.
"""

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from datetime import date
from typing import Final, Literal
from urllib.parse import quote, urlencode

from ingest.errors import FetchError, GoneError, PageError, SourceUnavailableError
from ingest.fetching.client import FetchedBody, Fetcher
from ingest.fetching.validators import Validators
from ingest.law import checks
from ingest.law.languages import LANGUAGES
from ingest.sources import textfiles
from ingest.sources.eurlex.names import consolidated, of_celex
from ingest.sources.eurlex.sparql import JSON, read_celex
from ingest.sources.eurlex.texts import NOTHING_KNOWN, Text

TEXT_URL: Final = "http://publications.europa.eu/resource/celex/{celex}"
VERSIONS_URL: Final = "https://publications.europa.eu/webapi/rdf/sparql"

Edition = Literal["newest", "oj"]

_HTML: Final = ("application/xhtml+xml", "text/html")
_CHALLENGED: Final = frozenset({202, 401, 403, 405})
"""HTTP statuses of a site that refuses programs."""

_VERSIONS: Final = """\
PREFIX cdm: <http://publications.europa.eu/ontology/cdm#>
PREFIX owl: <http://www.w3.org/2002/07/owl#>
SELECT DISTINCT ?celex WHERE {{
  ?act owl:sameAs <http://publications.europa.eu/resource/celex/{celex}> .
  ?text cdm:act_consolidated_consolidates_resource_legal ?act ; cdm:resource_legal_id_celex ?celex .
  ?expression cdm:expression_belongs_to_work ?text ;
    cdm:expression_uses_language <http://publications.europa.eu/resource/authority/language/{language}> .
  ?manifestation cdm:manifestation_manifests_expression ?expression ; cdm:manifestation_type ?format .
  FILTER(STR(?format) IN ("xhtml", "html"))
}}"""


@dataclass(eq=False)
class PublishedTexts:
    """The texts of ``acts`` in ``languages``: those of the Official Journal, and for the edition ``newest``
    also the newest consolidated ones, which have no recitals.

    ``acts`` is called again for every listing. Keys are ``32024R1689/en`` and ``02024R1689/en``; an act may
    also be one of its consolidated texts, ``02024R1689-20260727``. ``text_url``: with ``{celex}``, and
    ``{language}`` or ``{LANGUAGE}`` if needed. ``today``: texts consolidated as of a later day are ignored.
    """

    fetcher: Fetcher
    acts: Callable[[], Sequence[str]]
    languages: Sequence[str]
    edition: Edition
    text_url: str
    versions_url: str
    per_second: float
    max_bytes: int
    today: Callable[[], date]

    def keys(self) -> Iterator[str]:
        """Yield the keys, act by act and language by language. Raises as ``acts`` does."""
        for act in dict.fromkeys(self.acts()):
            for language in dict.fromkeys(self.languages):
                yield f"{act}/{language}"
                if self.edition == "newest" and act.startswith("3"):
                    yield f"{consolidated(act)}/{language}"

    def document(self, _key: str) -> str:
        """Return an empty name, because only the text states its date."""
        return ""

    def read(self, key: str, known: Validators) -> Text | None:
        """Fetch the text. Raises ``PageError``, ``SourceUnavailableError``."""
        wanted, _, language = key.rpartition("/")
        celex: str | None = wanted
        if wanted.startswith("0") and "-" not in wanted:
            celex = self._newest(wanted, language)
        if celex is None:
            return None
        address = self.text_url.replace("{celex}", quote(celex, safe=""))
        address = address.replace("{language}", language).replace("{LANGUAGE}", language.upper())
        fetched = self._get(address, known, _HTML, f"{celex} ({language})", LANGUAGES[language].lower())
        if fetched is None:
            return None
        html = textfiles.decode(fetched.body, declared=True)
        if checks.is_challenge(html):
            raise SourceUnavailableError(f"{celex} ({language}): {_CHALLENGE}")
        act, version = of_celex(celex)
        return Text(html=html, celex=act, version=version, language=language, validators=fetched.validators)

    def _newest(self, prefix: str, language: str) -> str | None:
        """Return the CELEX number of the act's newest consolidated text in that language, or None."""
        query = _VERSIONS.format(celex=quote(f"3{prefix[1:]}", safe=""), language=LANGUAGES[language])
        address = f"{self.versions_url}?{urlencode({'query': query, 'format': JSON[0]})}"
        fetched = self._get(address, NOTHING_KNOWN, JSON, f"{prefix} ({language})", "")
        try:
            found = read_celex(fetched.body if fetched else b"")
        except ValueError as error:
            raise SourceUnavailableError(
                f"{prefix} ({language}): the reply is not a list of consolidated texts"
            ) from error
        last = f"{prefix}-{self.today():%Y%m%d}"
        return max((celex for celex in found if prefix < celex <= last and of_celex(celex)[1]), default=None)

    def _get(
        self, address: str, known: Validators, accept: Sequence[str], what: str, language: str
    ) -> FetchedBody | None:
        try:
            return self.fetcher.get_if_changed(
                address,
                known,
                accept=accept,
                language=language,
                max_bytes=self.max_bytes,
                per_second=self.per_second,
            )
        except GoneError as error:
            raise PageError("invalid", f"{what}: {_GONE}") from error
        except FetchError as error:
            if error.http_status in _CHALLENGED:
                raise SourceUnavailableError(f"{what}: {_CHALLENGE}") from error
            if error.http_status in _REFUSALS:
                raise PageError("unsupported", f"{what}: {_REFUSALS[error.http_status]}") from error
            raise PageError(error.reason, f"{what}: {error}") from error


_GONE: Final = "there is no such text: check the CELEX number, and whether the act is in that language"
_CHALLENGE: Final = (
    "the site asks for a browser: use the default text_url, or save the page and index the file"
)
_REFUSALS: Final = {
    300: "the text comes in several files: save it from EUR-Lex as one page and index that",
    406: "there is no HTML of it in that language, only PDF at most: it cannot be read",
}

"""The source of acts of EU law: each text is a document of many pages, replaced as a whole."""

from collections.abc import Callable, Iterator, Sequence
from datetime import UTC, date, datetime
from typing import Final

from ingest import languages as language_codes
from ingest.errors import AuskunftError, PageError, SourceError, SourceUnavailableError
from ingest.fetching.client import Fetcher
from ingest.fetching.validators import Validators
from ingest.languages import SAMPLE_CHARACTERS, detect
from ingest.law.languages import LANGUAGES
from ingest.law.model import Act
from ingest.law.pages import pages as pages_of
from ingest.law.parse import parse
from ingest.options import validate_options
from ingest.protocols import FetchedDocument
from ingest.sources.eurlex.folder import FolderTexts
from ingest.sources.eurlex.names import is_celex
from ingest.sources.eurlex.published import TEXT_URL, VERSIONS_URL, Edition, PublishedTexts
from ingest.sources.eurlex.sparql import ActList, by_directory, by_eurovoc
from ingest.sources.eurlex.texts import NOTHING_KNOWN, Text, Texts
from ingest.types import UNDETERMINED, PageRef, RawPage

MAX_BYTES: Final = 30_000_000
PER_SECOND: Final = 1.0
MAX_ACTS: Final = 10_000


def _today() -> date:
    return datetime.now(UTC).date()


class EurlexSource:
    """Acts of EU law from the first of these that is given:

    * ``path``: files at and below it
    * ``acts``: fetched by CELEX number
    * one of ``eurovoc`` (numbers of EuroVoc subjects), ``directory`` (codes of the directory of legal acts,
      with all below them) and ``query`` (SPARQL that selects ``?celex``): the acts that the Publications
      Office lists, at most ``max_acts``; the first two give regulations, directives and decisions in force

    ``acts`` and ``languages`` are lists, or texts with commas. ``languages``: those to take; by default all
    languages of files, and English if fetched. ``language`` is for files that do not state theirs. ``text``:
    ``oj`` for the texts of the Official Journal, ``newest`` to add the newest consolidated ones.
    ``text_url``: where texts are fetched; ``versions_url``: the SPARQL endpoint that lists acts and
    consolidated texts; ``per_second``: the most requests. ``max_bytes`` is per text.
    """

    @validate_options
    def __init__(
        self,
        *,
        name: str,
        fetcher: Fetcher | None = None,
        path: str = "",
        acts: list[str] | str = "",
        eurovoc: list[str] | str = "",
        directory: list[str] | str = "",
        query: str = "",
        max_acts: int = MAX_ACTS,
        languages: list[str] | str = "",
        language: str | None = None,
        text: Edition = "newest",
        text_url: str = TEXT_URL,
        versions_url: str = VERSIONS_URL,
        per_second: float = PER_SECOND,
        max_bytes: int = MAX_BYTES,
        today: Callable[[], date] = _today,
    ) -> None:
        self.name = PageRef(source=name, id="any", language=UNDETERMINED).source
        self._languages = [_official(code) for code in _listed(languages)]
        self._language = _official(language) if language else ""
        self._keys: dict[str, str | PageError] | None = None
        self._last: tuple[str, FetchedDocument | AuskunftError | None] | None = None
        self._texts: Texts
        self._is_fetched = not path
        if path:
            self._texts = FolderTexts(path, max_bytes)
            return
        if fetcher is None:
            raise ValueError("option 'path': set a folder")
        if max_acts < 1:
            raise ValueError("option 'max_acts': must be above 0")
        if "{celex}" not in text_url:
            raise ValueError("option 'text_url': use an address with {celex}")
        self._texts = PublishedTexts(
            fetcher,
            acts=_chosen_acts(
                _listed(acts),
                _query(_listed(eurovoc), _listed(directory), query.strip()),
                lambda query: ActList(
                    fetcher, query=query, url=versions_url, per_second=per_second, max_acts=max_acts
                ),
            ),
            languages=self._languages or [self._language or "en"],
            edition=text,
            text_url=text_url,
            versions_url=versions_url,
            per_second=per_second,
            max_bytes=max_bytes,
            today=today,
        )

    def documents(self) -> Iterator[str]:
        """Yield ``CELEX@date/language`` for every text; for unreadable ones the path or ``CELEX/language``.
        Raises ``SourceError``."""
        keys: dict[str, str | PageError] = {}
        self._keys = keys
        for key in self._texts.keys():  # noqa: SIM118 - no mapping
            if (document := self._document(key)) is None:
                continue
            found: str | PageError = key
            if document in keys:
                first = keys[document]
                where = f": it is also in {first!r}" if isinstance(first, str) else ""
                document, found = key, PageError("invalid", f"{document} appears twice{where}: remove one")
            keys[document] = found
            yield document

    def pages(self, document: str) -> Sequence[RawPage] | None:
        """Return the act's pages, or None if there is no such text. Raises ``PageError`` and
        ``SourceUnavailableError``."""
        if self._keys is None:
            for _ in self.documents():
                pass
        key = (self._keys or {}).get(document)
        if isinstance(key, PageError):
            raise key
        found = self._read(key) if key is not None else None
        if found is None:
            return None
        if found.name != document:
            raise PageError("invalid", f"changed since it was listed (now {found.name}): run this again")
        return found.pages

    def wanted(self) -> Sequence[PageRef]:
        """Return the texts to fetch. Raises ``SourceError`` for a folder, which cannot be pulled, and as
        :meth:`ActList.acts` does."""
        if not self._is_fetched:
            raise SourceError("a folder cannot be pulled: use `auskunft index`")
        return [
            PageRef(source=self.name, id=celex, language=language)
            for celex, _, language in (key.rpartition("/") for key in self._texts.keys())  # noqa: SIM118
        ]

    def fetch(self, wanted: PageRef, known: Validators) -> FetchedDocument | None:
        """Fetch the act's pages, or return None if they are unchanged. Raises ``PageError`` and
        ``SourceUnavailableError``."""
        text = self._texts.read(f"{wanted.id}/{wanted.language}", known)
        return self._parsed(text) if text is not None else None

    def _document(self, key: str) -> str | None:
        """Return the name of a text's document, its key if unreadable, or None if there is no text."""
        if document := self._texts.document(key):
            return document
        try:
            found = self._read(key)
        except (PageError, SourceUnavailableError):
            return key
        return found.name if found is not None else None

    def _read(self, key: str) -> FetchedDocument | None:
        """Read a text and keep the last one: it is needed for its name, then for its pages."""
        if self._last is None or self._last[0] != key:
            try:
                text = self._texts.read(key, NOTHING_KNOWN)
                self._last = key, self._parsed(text) if text is not None else None
            except (PageError, SourceUnavailableError) as error:
                self._last = key, error
        found = self._last[1]
        if isinstance(found, AuskunftError):
            raise found
        return found

    def _parsed(self, text: Text) -> FetchedDocument:
        if text.language:
            self._check_language(text.language)
        try:
            return self._document_of(text)
        except ValueError as error:
            reason = " ".join(str(error).split())[:200]
            raise PageError("invalid", f"cannot be read as an act: {reason}") from error

    def _document_of(self, text: Text) -> FetchedDocument:
        language = text.language or self._language
        act = parse(text.html, celex=text.celex, language=language, version=text.version)
        if text.language and act.language != text.language:
            raise _wrong_language(text.language, act.language)
        self._check_language(act.language)
        if act.title in ("", act.celex) and all(unit.kind in ("act", "final") for unit in act.units):
            raise PageError("invalid", "not an act: it has no title, article, recital or annex")
        _check_text(act)
        pages = pages_of(act, source=self.name)
        return FetchedDocument(name=pages[0].document, pages=tuple(pages), validators=text.validators)

    def _check_language(self, language: str) -> None:
        if self._languages and language not in self._languages:
            listed = ", ".join(self._languages)
            raise PageError("unsupported", f"in language {language!r}: the source reads only {listed}")


def _check_text(act: Act) -> None:
    """Raise ``PageError`` for a text that is clearly not in the language its name or server states."""
    found = detect(" ".join(unit.markdown[:SAMPLE_CHARACTERS] for unit in act.units)[:SAMPLE_CHARACTERS])
    if found not in (act.language, UNDETERMINED):
        raise _wrong_language(act.language, found)


def _wrong_language(said: str, found: str) -> PageError:
    return PageError("invalid", f"declared as {said!r}, but the text is in {found!r}: check it")


def _listed(value: list[str] | str) -> list[str]:
    parts = value.split(",") if isinstance(value, str) else value
    return [part.strip() for part in parts if part.strip()]


def _official(language: str) -> str:
    code = language_codes.normalise(language)
    if code not in LANGUAGES:
        raise ValueError(f"language {language!r}: use one of {', '.join(LANGUAGES)}")
    return code


def _query(eurovoc: list[str], directory: list[str], query: str) -> str:
    """Return the query of the one option given; empty if none is. Raises ``ValueError`` if several are."""
    queries = [by_eurovoc(eurovoc) if eurovoc else "", by_directory(directory) if directory else "", query]
    given = [query for query in queries if query]
    if len(given) > 1:
        raise ValueError("options 'eurovoc', 'directory' and 'query': set only one of them")
    return given[0] if given else ""


def _chosen_acts(
    acts: Sequence[str], query: str, listed: Callable[[str], ActList]
) -> Callable[[], Sequence[str]]:
    """Return a function that returns the acts; ``acts`` take precedence over ``query``."""
    if query and not acts:
        return listed(query).acts
    if not acts:
        raise ValueError(
            "option 'acts': set CELEX numbers such as 32024R1689, or choose a subject with eurovoc"
        )
    for act in acts:
        if not is_celex(act):
            raise ValueError(f"option 'acts': {act[:40]!r} is not a CELEX number: use one such as 32024R1689")
    return lambda: acts

"""Sends searches to the live index, several at once."""

from collections.abc import Callable, Sequence
from typing import Any

import orjson
from elasticsearch import Elasticsearch

from app.errors import GenerationChangedError, IndexUnavailableError
from app.search.elastic.catalog import Catalog, LiveIndex
from app.search.elastic.client import failure
from app.search.elastic.mapping import Body
from app.search.elastic.queries import Languages, counts_body
from app.search.elastic.results import Counts, Response, read_counts


class Searches:
    """Searches over one client; remembers the languages of the live index's pages."""

    def __init__(self, client: Elasticsearch, catalog: Catalog) -> None:
        self._client = client
        self._catalog = catalog
        self._known_languages: dict[str, Sequence[str]] = {}

    def counted(
        self, live: LiveIndex, words: Sequence[str], bodies: Callable[[Languages], Sequence[Body]]
    ) -> tuple[Sequence[Response], Counts]:
        """Send the searches and count the pages with each word. If pages are in a language whose forms of the
        words were not searched, search again."""
        while True:
            languages = Languages(analysed=live.languages, served=self.languages(live))
            *found, counted = self.responses(live, *bodies(languages), counts_body(words, languages))
            counts = read_counts(counted)
            self._known_languages = {live.index: counts.languages}
            if set(counts.languages) <= set(languages.served):
                return found, counts

    def languages(self, live: LiveIndex) -> Sequence[str]:
        """Return the languages of the pages as of the previous question; ask the server for the first."""
        served = self._known_languages.get(live.index)
        if served is None:
            [counted] = self.responses(live, counts_body((), Languages(analysed=(), served=())))
            served = read_counts(counted).languages
            self._known_languages = {live.index: served}
        return served

    def responses(self, live: LiveIndex, *bodies: Body) -> list[Response]:
        """Send several searches together and return their responses."""
        header = {"index": live.index, "allow_partial_search_results": False}
        lines: list[Any] = [
            orjson.dumps(line, option=orjson.OPT_SERIALIZE_NUMPY)
            for body in bodies
            for line in (header, body)
        ]
        answers = self._client.msearch(searches=lines, include_named_queries_score=True)["responses"]
        for answer in answers:
            if "error" in answer:
                raise self._failure(live, answer)
        return list(answers)

    def _failure(self, live: LiveIndex, answer: Response) -> Exception:
        """Return the error for a failed search."""
        status, error = answer["status"], answer["error"]
        if status == 404:
            self._catalog.invalidate()
            now = self._catalog.live()
            if now and now.generation != live.generation:
                return GenerationChangedError(live.generation.number, now.generation.number)
            return IndexUnavailableError(f"index {live.index} is missing: rebuild it with `auskunft reindex`")
        return failure(status, error) or RuntimeError(f"Elasticsearch refused a search: {error}")

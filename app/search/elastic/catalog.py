"""The generations on the server, as indices and aliases under one prefix.

Generation 3 of prefix ``town`` is the index ``town-3``. Its state is kept in aliases, so that one request,
atomic on the server, changes it:

* ``town`` points to the live index, for other programs too;
* ``town-building`` points to those being built;
* ``town-w3`` is used for all writes to generation 3, so that no write creates an index by accident.
"""

import re
import threading
import time
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from datetime import UTC, datetime
from typing import Any, Final

from elasticsearch import BadRequestError, Elasticsearch, NotFoundError

from app import errors
from app.search.elastic import mapping
from app.search.elastic.client import (
    EXACT_INNER_HITS,
    OLDEST,
    ElasticOptions,
    Version,
    oldest_node,
    reason_of,
)
from app.search.elastic.queries import Scoring
from app.search.types import Generation, GenerationRecipe, GenerationState, QuerySpec

LIVE_SECONDS: Final = 0.5
"""How long the live generation is cached. Another process's promotion is seen after this time."""

_OVERSAMPLE: Final = {"int8_hnsw": 2.0, "bbq_hnsw": 10.0}
"""Oversampling by kind of vectors. Measured recall@10 among 100,000 chunks: with one bit per number .81 at 2,
.89 at 3, .94 at 5 and .96 at 10 (the most that the server accepts) in the same time; with one byte per number
.98 from 2 up."""

_FILTER: Final = ",".join(
    ("*.aliases", "*.mappings._meta", *(f"*.mappings.properties.{name}.type" for name in mapping.ADDED))
)
_EXISTS: Final = "resource_already_exists_exception"
_NAME_TAKEN: Final = "invalid_alias_name_exception"
_MAPPING: Final = "mapper_parsing_exception"
_ANALYSIS: Final = re.compile(r"analy[sz]|tokeni[sz]er|token_?filter|char_?filter|\bfilter\b", re.IGNORECASE)
_LAST: Final = "last_generation"
_PRIORITY: Final = 1_000
"""Higher than that of templates for all indices, because two templates of the same priority are refused."""


@dataclass(frozen=True, slots=True, kw_only=True)
class LiveIndex:
    """The live generation with the name of its index, its metadata, and how the server scores its chunks."""

    generation: Generation
    index: str
    metadata: mapping.IndexMetadata
    scoring: Scoring

    @property
    def languages(self) -> tuple[str, ...]:
        """The languages with an analyzer."""
        return self.metadata.languages

    def askable(self, spec: QuerySpec) -> QuerySpec:
        """Return the question without ``without`` if the index has no field for collections yet, because
        Elasticsearch 9.5 fails on inner hits below a filter that negates an unmapped field."""
        return replace(spec, without=frozenset()) if mapping.COLLECTION in self.metadata.missing else spec


@dataclass(frozen=True, slots=True, kw_only=True)
class _StoredIndex:
    metadata: mapping.IndexMetadata
    state: GenerationState


class Catalog:
    """The generations of one prefix. Safe for threads and for several processes."""

    def __init__(self, client: Elasticsearch, options: ElasticOptions) -> None:
        self._client = client
        # Changes may take longer than questions, because a busy cluster applies them one by one.
        self._slow_client = client.options(request_timeout=options.bulk_seconds)
        self._options = options
        self._prefix = options.prefix
        self._building = f"{self._prefix}-building"
        self._names = re.compile(rf"{re.escape(self._prefix)}-(\d+)\Z")
        self._lock = threading.Lock()
        self._live: LiveIndex | None = None
        self._live_until = 0.0
        self._invalidations = 0
        self._oldest: Version = OLDEST
        self._recipes: dict[int, GenerationRecipe] = {}

    def index(self, number: int) -> str:
        """Return the name of a generation's index."""
        return f"{self._prefix}-{number}"

    def write_alias(self, number: int) -> str:
        """Return the alias that a generation is written through."""
        return f"{self._prefix}-w{number}"

    @property
    def index_pattern(self) -> str:
        """A pattern for the indices of all generations."""
        return f"{self._prefix}-*"

    def prepare(self, number: int) -> GenerationRecipe:
        """Make a generation ready for writing by adding the fields that it lacks. Return its recipe.

        Several processes may do so at once. Raises ``NotFoundError``, and ``IndexUnavailableError`` if its
        mapping has another version, because it would refuse pages.
        """
        if number not in self._recipes:
            metadata = self._stored(number).metadata
            self._check_version(number, metadata.version)
            if metadata.missing:
                fields = mapping.added_fields(metadata.missing)
                self._slow_client.indices.put_mapping(index=self.index(number), properties=fields)
                self.invalidate()
            self._recipes[number] = metadata.recipe
        return self._recipes[number]

    def all(self) -> list[Generation]:
        """Return all generations, by number. If several have the live alias, none counts as live."""
        known = [_generation(number, index) for number, index in sorted(self._indices().items())]
        if len(_live(known)) < 2:
            return known
        return [replace(item, state="retired") if item.state == "live" else item for item in known]

    def get(self, number: int) -> Generation:
        """Return the generation with that number. Raises ``NotFoundError``."""
        return _generation(number, self._stored(number))

    def live(self) -> LiveIndex | None:
        """Return the generation that questions use, as of at most ``LIVE_SECONDS`` ago; ``None`` before any
        was promoted.

        Raises ``IndexUnavailableError`` if the aliases contradict each other or the mapping has another
        version; nothing is repaired automatically.
        """
        with self._lock:
            if self._live is not None and time.monotonic() <= self._live_until:
                return self._live
            invalidations = self._invalidations
        found = self._find_live()  # without the lock, so that threads wait in parallel if the server hangs
        with self._lock:
            if invalidations == self._invalidations:
                self._live, self._live_until = found, time.monotonic() + LIVE_SECONDS
        return found

    def invalidate(self) -> None:
        """Drop the cached live generation, so that the next use asks the server."""
        with self._lock:
            self._live = None
            self._invalidations += 1

    def create(self, recipe: GenerationRecipe, owner: str, vectors: int) -> Generation:
        """Create an empty generation for about ``vectors`` vectors. Numbers are never reused."""
        created = datetime.now(UTC)
        body = mapping.index_body(
            self._options,
            recipe,
            owner=owner,
            created=created,
            vectors=vectors,
            oldest=self.oldest_node(),
        )
        number = max((self._last_number(), *self._indices())) + 1
        while not self._create_index(number, body):
            number += 1
        self._store_last_number(number)
        return Generation(number=number, state="building", recipe=recipe, created=created, owner=owner)

    def promote(self, number: int) -> None:
        """Make the generation the only live one, in one step. Raises ``NotFoundError``."""
        self.get(number)
        self._enable_refresh(self.index(number))
        actions: list[dict[str, Any]] = [
            {"remove": {"index": self.index(other), "alias": self._prefix}}
            for other, stored in self._indices().items()
            if stored.state == "live" and other != number
        ]
        actions.append({"add": {"index": self.index(number), "alias": self._prefix}})
        actions.append(
            {"remove": {"index": self.index(number), "alias": self._building, "must_exist": False}}
        )
        try:
            self._slow_client.indices.update_aliases(actions=actions)
        except BadRequestError as error:
            if error.message != _NAME_TAKEN:
                raise
            raise errors.IndexUnavailableError(
                f"an index is named {self._prefix} like our alias: delete it, or set another "
                "AUSKUNFT_ELASTICSEARCH_PREFIX"
            ) from error
        self.invalidate()

    def drop(self, number: int) -> None:
        """Delete the generation. Raises ``NotFoundError``, and ``InputError`` if it is live."""
        if self.get(number).state == "live":
            raise errors.InputError(f"generation {number} is live: promote another one before dropping it")
        self._slow_client.indices.delete(index=self.index(number), ignore_unavailable=True)

    def _enable_refresh(self, index: str) -> None:
        self._slow_client.indices.put_settings(index=index, settings=mapping.live_settings(self._options))
        self._slow_client.indices.refresh(index=index)

    def _find_live(self) -> LiveIndex | None:
        indices = self._indices()
        known = [_generation(number, index) for number, index in sorted(indices.items())]
        live = _live(known)
        if len(live) == 1:
            metadata = indices[live[0].number].metadata
            self._check_version(live[0].number, metadata.version)
            return LiveIndex(
                generation=live[0],
                index=self.index(live[0].number),
                metadata=metadata,
                scoring=self._scoring(metadata),
            )
        if live:
            names = " and ".join(self.index(generation.number) for generation in live)
            raise errors.IndexUnavailableError(
                f"alias {self._prefix} is on {names}: `auskunft rollback {live[-1].number}` chooses one"
            )
        if retired := [generation for generation in known if generation.state == "retired"]:
            raise errors.IndexUnavailableError(
                f"alias {self._prefix} is missing: `auskunft rollback {retired[-1].number}` restores "
                f"{self.index(retired[-1].number)}, `auskunft reindex` builds the index anew"
            )
        return None

    def _scoring(self, metadata: mapping.IndexMetadata) -> Scoring:
        oversample = _OVERSAMPLE.get(metadata.vectors, 0.0)
        is_rough = oversample > 0 and self.oldest_node() < EXACT_INNER_HITS
        return Scoring(oversample=oversample, is_rough=is_rough)

    def oldest_node(self) -> Version:
        """Return the lowest version in the cluster. It is not asked for again once it is the newest that
        matters here, because nodes are never downgraded."""
        if self._oldest < EXACT_INNER_HITS:
            self._oldest = oldest_node(self._client)
        return self._oldest

    def _stored(self, number: int) -> _StoredIndex:
        known = self._indices()
        if number not in known:
            numbers = ", ".join(map(str, sorted(known))) or "none"
            raise errors.NotFoundError(f"there is no generation {number}; known: {numbers}")
        return known[number]

    def _indices(self) -> dict[int, _StoredIndex]:
        """Return the prefix's indices by number."""
        answer = self._client.indices.get(
            index=self.index_pattern, filter_path=_FILTER, expand_wildcards=["open", "closed"]
        ).body
        found = {}
        for name, body in answer.items():
            number, metadata = self._names.match(name), mapping.read_metadata(body.get("mappings", {}))
            if number and metadata:
                found[int(number[1])] = _StoredIndex(
                    metadata=metadata, state=self._state(body.get("aliases", {}))
                )
        return found

    def _state(self, aliases: Mapping[str, Any]) -> GenerationState:
        if self._prefix in aliases:
            return "live"
        return "building" if self._building in aliases else "retired"

    def _check_version(self, number: int, version: int) -> None:
        if version == mapping.VERSION:
            return
        newer = version > mapping.VERSION
        age, remedy = ("a newer", "update Auskunft") if newer else ("an older", "run `auskunft reindex`")
        raise errors.IndexUnavailableError(
            f"{self.index(number)} was made by {age} Auskunft (mapping {version}, this one knows "
            f"{mapping.VERSION}): {remedy}"
        )

    def _create_index(self, number: int, body: mapping.Body) -> bool:
        """Create the index and return True, or return False if the name is taken."""
        aliases: dict[str, Any] = {self.write_alias(number): {}, self._building: {}}
        try:
            self._slow_client.indices.create(index=self.index(number), aliases=aliases, **body)
        except BadRequestError as error:
            if error.message == _EXISTS:
                return False
            message = f"Elasticsearch refuses the index: {reason_of(error)}"
            if not _concerns_analysis(error):
                raise errors.IndexUnavailableError(message) from error
            raise errors.SettingsError(
                f"{message}: check the settings elasticsearch_languages and elasticsearch_analysis"
            ) from error
        return True

    def _last_number(self) -> int:
        """Return the highest number ever given, even if its generation was dropped."""
        try:
            answer = self._slow_client.indices.get_index_template(name=self._template)
        except NotFoundError:
            return 0
        return int(answer.body["index_templates"][0]["index_template"]["_meta"][_LAST])

    def _store_last_number(self, number: int) -> None:
        self._slow_client.indices.put_index_template(
            name=self._template,
            index_patterns=[self.index_pattern],
            priority=_PRIORITY,
            allow_auto_create=False,
            meta={_LAST: number},
        )

    @property
    def _template(self) -> str:
        """The index template that stores the last number, and that prevents removals in a bulk from creating
        a missing index, because ``require_alias`` does not apply to removals."""
        return f"{self._prefix}-generations"


def _concerns_analysis(error: BadRequestError) -> bool:
    return error.message == _MAPPING or bool(_ANALYSIS.search(reason_of(error)))


def _live(known: Sequence[Generation]) -> list[Generation]:
    return [generation for generation in known if generation.state == "live"]


def _generation(number: int, stored: _StoredIndex) -> Generation:
    metadata = stored.metadata
    return Generation(
        number=number,
        state=stored.state,
        recipe=metadata.recipe,
        created=metadata.created,
        owner=metadata.owner,
    )

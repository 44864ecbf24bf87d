"""Which generations there are on the server, as indices and aliases under one prefix.

Generation 3 of prefix ``town`` is the index ``town-3``. Three aliases say what it is, so that one request
(atomic on the server) changes it: ``town`` is the live one, read by others too; ``town-building`` one that is
being made; every generation is written through its own ``town-w3``, which no writing can make by accident.
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
from app.search.elastic.client import reason_of
from app.search.elastic.options import ElasticOptions
from app.search.types import Generation, GenerationRecipe, GenerationState

LIVE_SECONDS: Final = 0.5
"""How long the live generation is taken from memory: others' promotions are seen after that time."""

_FILTER: Final = ",".join(
    ("*.aliases", "*.mappings._meta", *(f"*.mappings.properties.{name}.type" for name in mapping.ADDED))
)
_EXISTS: Final = "resource_already_exists_exception"
_NAME_TAKEN: Final = "invalid_alias_name_exception"
_MAPPING: Final = "mapper_parsing_exception"
_ANALYSIS: Final = re.compile(r"analy[sz]|tokeni[sz]er|token_?filter|char_?filter|\bfilter\b", re.IGNORECASE)
_LAST: Final = "last_generation"
_PRIORITY: Final = 1_000
"""Above that of templates for all indices, which may not have the same."""


@dataclass(frozen=True, slots=True, kw_only=True)
class LiveIndex:
    """The live generation and what a search of it depends on: its index's name, its content's vectors."""

    generation: Generation
    index: str
    vectors: str
    languages: tuple[str, ...]

    @property
    def quantised(self) -> bool:
        """Whether scores are of rounded vectors, so that exact cosines need the vectors themselves."""
        return self.vectors.startswith("int8")


@dataclass(frozen=True, slots=True, kw_only=True)
class _Stored:
    made: mapping.Made
    state: GenerationState


class Catalog:
    """The generations of one prefix. Safe for threads; several processes may work on them."""

    def __init__(self, client: Elasticsearch, options: ElasticOptions) -> None:
        self._client = client
        # Changes take their time on a busy cluster; a question does not wait for them.
        self._patient = client.options(request_timeout=options.bulk_seconds)
        self._options = options
        self._prefix = options.prefix
        self._building = f"{self._prefix}-building"
        self._names = re.compile(rf"{re.escape(self._prefix)}-(\d+)\Z")
        self._lock = threading.Lock()
        self._live: LiveIndex | None = None
        self._live_until = 0.0
        self._forgotten = 0
        self._dims: dict[int, int] = {}

    def index(self, number: int) -> str:
        """The name of a generation's index."""
        return f"{self._prefix}-{number}"

    def write_alias(self, number: int) -> str:
        """The alias that a generation is written through."""
        return f"{self._prefix}-w{number}"

    @property
    def everything(self) -> str:
        """A pattern for every generation's index."""
        return f"{self._prefix}-*"

    def prepare(self, number: int) -> int:
        """Make it ready to be written to, by the fields that it lacks. Returns the length of its vectors.

        Several processes may do so at once. Raises ``NotFoundError``, and ``IndexUnavailableError`` where its
        mapping is of another version: pages would be refused.
        """
        if number not in self._dims:
            made = self._stored(number).made
            self._check_version(number, made.version)
            if made.lacking:
                fields = mapping.added_fields(made.lacking)
                self._patient.indices.put_mapping(index=self.index(number), properties=fields)
            self._dims[number] = made.recipe.dims
        return self._dims[number]

    def all(self) -> list[Generation]:
        """Every generation, by number. Where several are live, none is before one is promoted."""
        known = [_generation(number, index) for number, index in sorted(self._indices().items())]
        if len(_live(known)) < 2:
            return known
        return [replace(item, state="retired") if item.state == "live" else item for item in known]

    def get(self, number: int) -> Generation:
        """The generation with that number. Raises ``NotFoundError``."""
        return _generation(number, self._stored(number))

    def live(self) -> LiveIndex | None:
        """The one that questions use, as of at most ``LIVE_SECONDS`` ago; ``None`` before any was promoted.

        Raises ``IndexUnavailableError`` where the aliases contradict each other or the mapping is of
        another version: nothing is repaired by accident.
        """
        with self._lock:
            if self._live is not None and time.monotonic() <= self._live_until:
                return self._live
            asked = self._forgotten
        found = self._find_live()  # without the lock: a server that hangs keeps nobody waiting in line
        with self._lock:
            if asked == self._forgotten:
                self._live, self._live_until = found, time.monotonic() + LIVE_SECONDS
        return found

    def forget(self) -> None:
        """Ask the server when the live generation is needed next."""
        with self._lock:
            self._live = None
            self._forgotten += 1

    def create(self, recipe: GenerationRecipe, owner: str, vectors: int) -> Generation:
        """A new, empty generation, made for about ``vectors`` vectors. Numbers are not used again."""
        created = datetime.now(UTC)
        body = mapping.index_body(self._options, recipe, owner, created, vectors)
        number = self._next_number()
        while not self._create_index(number, body):
            number += 1
        self._remember(number)
        return Generation(number=number, state="building", recipe=recipe, created=created, owner=owner)

    def promote(self, number: int) -> None:
        """Make it the live one and all others not, in one step. Raises ``NotFoundError``."""
        self.get(number)
        self._begin_refreshing(self.index(number))
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
            self._patient.indices.update_aliases(actions=actions)
        except BadRequestError as error:
            if error.message != _NAME_TAKEN:
                raise
            raise errors.IndexUnavailableError(
                f"an index is named {self._prefix} like our alias: delete it, or set another "
                "AUSKUNFT_ELASTICSEARCH_PREFIX"
            ) from error
        self.forget()

    def drop(self, number: int) -> None:
        """Delete it. Raises ``NotFoundError``, and ``InputError`` if it is live."""
        if self.get(number).state == "live":
            raise errors.InputError(f"generation {number} is live: promote another one before dropping it")
        self._patient.indices.delete(index=self.index(number), ignore_unavailable=True)

    def _begin_refreshing(self, index: str) -> None:
        self._patient.indices.put_settings(index=index, settings=mapping.live_settings())
        self._patient.indices.refresh(index=index)

    def _find_live(self) -> LiveIndex | None:
        indices = self._indices()
        known = [_generation(number, index) for number, index in sorted(indices.items())]
        live = _live(known)
        if len(live) == 1:
            made = indices[live[0].number].made
            self._check_version(live[0].number, made.version)
            return LiveIndex(
                generation=live[0],
                index=self.index(live[0].number),
                vectors=made.vectors,
                languages=made.languages,
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

    def _stored(self, number: int) -> _Stored:
        known = self._indices()
        if number not in known:
            numbers = ", ".join(map(str, sorted(known))) or "none"
            raise errors.NotFoundError(f"there is no generation {number}: known are {numbers}")
        return known[number]

    def _indices(self) -> dict[int, _Stored]:
        """Our indices by number."""
        answer = self._client.indices.get(
            index=self.everything, filter_path=_FILTER, expand_wildcards=["open", "closed"]
        ).body
        found = {}
        for name, body in answer.items():
            number, made = self._names.match(name), mapping.read_made(body.get("mappings", {}))
            if number and made:
                found[int(number[1])] = _Stored(made=made, state=self._state(body.get("aliases", {})))
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
        """Whether the name was free."""
        aliases: dict[str, Any] = {self.write_alias(number): {}, self._building: {}}
        try:
            self._patient.indices.create(index=self.index(number), aliases=aliases, **body)
        except BadRequestError as error:
            if error.message == _EXISTS:
                return False
            said = f"Elasticsearch refuses the index: {reason_of(error)}"
            if not _concerns_analysis(error):
                raise errors.IndexUnavailableError(said) from error
            raise errors.SettingsError(
                f"{said}: check the settings elasticsearch_languages and elasticsearch_analysis"
            ) from error
        return True

    def _next_number(self) -> int:
        return max((self._last(), *self._indices()), default=0) + 1

    def _last(self) -> int:
        """The highest number ever given, which outlives the generation."""
        try:
            answer = self._patient.indices.get_index_template(name=self._template)
        except NotFoundError:
            return 0
        return int(answer.body["index_templates"][0]["index_template"]["_meta"][_LAST])

    def _remember(self, number: int) -> None:
        self._patient.indices.put_index_template(
            name=self._template,
            index_patterns=[self.everything],
            priority=_PRIORITY,
            allow_auto_create=False,
            meta={_LAST: number},
        )

    @property
    def _template(self) -> str:
        """Remembers the last number, and keeps a bulk's removals from making the index that they lack:
        ``require_alias`` does not hold for them."""
        return f"{self._prefix}-generations"


def _concerns_analysis(error: BadRequestError) -> bool:
    return error.message == _MAPPING or bool(_ANALYSIS.search(reason_of(error)))


def _live(known: Sequence[Generation]) -> list[Generation]:
    return [generation for generation in known if generation.state == "live"]


def _generation(number: int, stored: _Stored) -> Generation:
    made = stored.made
    return Generation(
        number=number, state=stored.state, recipe=made.recipe, created=made.created, owner=made.owner
    )

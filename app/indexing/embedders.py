"""The embedders of an installation: the one in the settings, those of older generations, and all registered
ones."""

import inspect
from collections import OrderedDict
from collections.abc import Callable, Mapping, Sequence
from dataclasses import asdict, dataclass
from threading import Lock, RLock
from typing import Any, Final

from app.errors import InputError, PluginError, UnknownPluginError
from app.lazy import lazy
from app.search.query import towards_passages
from app.search.types import Generation
from app.settings.settings import Settings
from ingest import registry
from ingest.fingerprints import embedder_recipe, recipe_hash
from ingest.packages import install_line, missing
from ingest.protocols import Embedder, Recipe
from ingest.types import Vectors

REQUIRED: Final = ("recipe", "max_tokens", "batch_size", "embed_documents", "embed_query")
"""Attributes that every embedder must have. ``dims`` is required too, but not checked here because it may
need a request to a server."""

REMEMBERED: Final = 4_096
"""Number of questions and words whose vectors are kept in memory, because a question is compared for more
than its search, and those of a conversation recur."""


class QuestionEmbedder:
    """Embeds as ``embedder`` does, and remembers the vectors of the last questions. Thread-safe."""

    def __init__(self, embedder: Embedder) -> None:
        self._embedder = embedder
        self.recipe: Recipe = embedder.recipe
        self.max_tokens = embedder.max_tokens
        self.batch_size = embedder.batch_size
        self._lock = Lock()
        self._vectors: OrderedDict[str, Vectors] = OrderedDict()

    @property
    def dims(self) -> int:
        """The length of every vector. Raises ``EmbedderUnavailableError``."""
        return self._embedder.dims

    def embed_documents(self, texts: Sequence[str]) -> Vectors:
        """Return vectors of shape ``(n, dims)``. Raises ``EmbedderUnavailableError``."""
        return self._embedder.embed_documents(texts)

    def embed_query(self, text: str) -> Vectors:
        """Return a vector of shape ``(dims,)``, which callers must not change. Raises
        ``EmbedderUnavailableError``."""
        with self._lock:
            known = self._vectors.pop(text, None)
            if known is not None:
                self._vectors[text] = known
                return known
        vector = self._embedder.embed_query(text)
        with self._lock:
            self._vectors[text] = vector
            if len(self._vectors) > REMEMBERED:
                self._vectors.popitem(last=False)
        return vector

    def towards_passages(self, question: Vectors) -> Vectors:
        """Turn a question's vector as :func:`app.search.query.towards_passages` does."""
        return towards_passages(question, self._embedder)


class Embedders:
    """Builds each embedder once; thread-safe. ``opened`` is called with the function that closes it."""

    def __init__(self, settings: Settings, opened: Callable[[Callable[[], None]], object]) -> None:
        self.lock = RLock()
        self._settings = settings
        self._opened = opened
        self._others: dict[str, Embedder] = {}
        self._for_questions: tuple[Recipe, QuestionEmbedder] | None = None

    @lazy
    def current(self) -> Embedder:
        """The embedder that the settings name. Raises ``PluginError`` and ``EmbedderUnavailableError``."""
        return self._create(self._settings.embedder, {})

    def of(self, generation: Generation) -> Embedder:
        """Return the embedder that a generation was made with. Raises ``PluginError`` if it can no longer be
        built, and ``EmbedderUnavailableError``."""
        wanted = generation.recipe.embedder
        embedder = self._make_like(wanted)
        if embedder_recipe(embedder) != wanted:
            raise PluginError(
                f"embedder {wanted['name']!r} is not the one the index was built with: run `auskunft reindex`"
            )
        return embedder

    def for_questions(self, generation: Generation) -> Embedder:
        """Return the same embedder as :meth:`of`, but one that remembers the last questions. Raises as
        :meth:`of` does."""
        wanted, known = generation.recipe.embedder, self._for_questions
        if known is not None and known[0] == wanted:
            return known[1]
        embedder = self.of(generation)  # without the lock, because it may wait for a server
        with self.lock:
            if self._for_questions is None or self._for_questions[0] != wanted:
                self._for_questions = wanted, QuestionEmbedder(embedder)
            return self._for_questions[1]

    def _make_like(self, wanted: Recipe) -> Embedder:
        """Make the embedder that comes closest to a recipe. The recipe's options override those of the
        settings, so that an older model of the same server can be used until a rebuild is done."""
        name = str(wanted["name"])
        try:
            named = getattr(registry.factory("embedders", name), "recipe_options", ())
        except UnknownPluginError as error:
            raise PluginError(f"the index needs an {error}: run `auskunft reindex`") from error
        options = {option: wanted[option] for option in named if option in wanted}
        if name == self._settings.embedder and options.items() <= self.current.recipe.items():
            return self.current
        key = recipe_hash(wanted)
        with self.lock:
            if key not in self._others:
                self._others[key] = self._create(name, options)
            return self._others[key]

    def _create(self, name: str, options: Mapping[str, Any]) -> Embedder:
        """Build an embedder with the settings' options, overridden by ``options``."""
        chosen = {**self._settings.embedder_options(name), **options}
        embedder: Embedder = registry.create("embedders", name, **chosen)
        if lacking := [attribute for attribute in REQUIRED if not hasattr(embedder, attribute)]:
            raise PluginError(
                f"embedder {name!r} cannot be used: it has no {' and no '.join(lacking)} "
                "(what an embedder needs: `Embedder` in ingest/protocols.py)"
            )
        if hasattr(embedder, "close"):
            self._opened(embedder.close)
        return embedder


@dataclass(frozen=True, slots=True, kw_only=True)
class EmbedderInfo:
    """One registered embedder. ``lacks``: what to do before it can be used; empty if nothing. ``dims``: None
    if unknown before it is built."""

    name: str
    used: bool
    lacks: str
    dims: int | None
    required: tuple[str, ...]
    optional: tuple[str, ...]

    def document(self) -> dict[str, Any]:
        """Return the fields for JSON."""
        return asdict(self)


def check_embedder(settings: Settings, processes: int) -> None:
    """Check the requirements of the settings' embedder before ``processes`` load it, without loading it.

    Raises ``InputError`` with a remedy.
    """
    name = settings.embedder
    if lacks := _describe(name, settings).lacks:
        raise InputError(f"embedder {name!r} is not ready: {lacks}")
    if check := getattr(registry.factory("embedders", name), "check", None):
        try:
            check(processes=processes, **settings.embedder_options(name))
        except PluginError as error:
            raise InputError(str(error)) from error


def list_embedders(settings: Settings) -> list[EmbedderInfo]:
    """List every registered embedder, by name, without building any, because a model may take gigabytes."""
    return [_describe(name, settings) for name in registry.names("embedders")]


def _describe(name: str, settings: Settings) -> EmbedderInfo:
    used = name == settings.embedder
    try:
        factory = registry.factory("embedders", name)
    except PluginError as error:
        return EmbedderInfo(name=name, used=used, lacks=str(error), dims=None, required=(), optional=())
    parameters = _options(factory)
    required = tuple(name for name, each in parameters.items() if each.default is inspect.Parameter.empty)
    given = settings.embedder_options(name)
    return EmbedderInfo(
        name=name,
        used=used,
        lacks=_lacks(factory, [option for option in required if option not in given]),
        dims=_dims(factory, parameters, given),
        required=required,
        optional=tuple(option for option in parameters if option not in required),
    )


def _options(factory: Any) -> Mapping[str, inspect.Parameter]:
    """The keyword parameters of an embedder's factory."""
    variadic = (inspect.Parameter.VAR_KEYWORD, inspect.Parameter.VAR_POSITIONAL)
    parameters = inspect.signature(factory).parameters
    return {name: each for name, each in parameters.items() if each.kind not in variadic}


def _lacks(factory: Any, options: list[str]) -> str:
    if missing(getattr(factory, "packages", ())):
        return install_line(factory.extra)
    return f"set {', '.join(options)}" if options else ""


def _dims(factory: Any, parameters: Mapping[str, inspect.Parameter], given: Mapping[str, Any]) -> int | None:
    """The value of the ``dims`` option or its default, otherwise the class attribute; None if unknown."""
    default = parameters["dims"].default if "dims" in parameters else getattr(factory, "dims", None)
    dims = given.get("dims", default)
    return int(dims) if isinstance(dims, int) or str(dims).isdecimal() else None

"""The embedders of an installation: the settings' own, and those that older generations were made with."""

from collections.abc import Callable, Mapping
from threading import RLock
from typing import Any

from app.errors import PluginError, UnknownPluginError
from app.lazy import lazy
from app.search.types import Generation
from app.settings.settings import Settings
from ingest import registry
from ingest.fingerprints import embedder_recipe, recipe_hash
from ingest.protocols import Embedder, Recipe


class Embedders:
    """Safe to use from several threads. What has to be closed is told to ``opened``."""

    def __init__(self, settings: Settings, opened: Callable[[Callable[[], None]], object]) -> None:
        self.lock = RLock()
        self._settings = settings
        self._opened = opened
        self._others: dict[str, Embedder] = {}

    @lazy
    def current(self) -> Embedder:
        """The embedder that the settings name. Raises ``PluginError`` and ``EmbedderUnavailableError``."""
        return self._created(self._settings.embedder, {})

    def of(self, generation: Generation) -> Embedder:
        """The embedder a generation was made with. Raises ``PluginError`` if it cannot be built any more,
        and ``EmbedderUnavailableError``."""
        wanted = generation.recipe.embedder
        embedder = self._made_like(wanted)
        if embedder_recipe(embedder) != wanted:
            raise PluginError(
                f"embedder {wanted['name']!r} is no longer the one the index was made with: "
                "run `auskunft reindex`"
            )
        return embedder

    def _made_like(self, wanted: Recipe) -> Embedder:
        """The embedder that comes nearest to a recipe: the settings' options, but where the recipe holds
        them, so that an older model of the same server can be asked until a rebuild is done."""
        name = str(wanted["name"])
        try:
            taken = getattr(registry.factory("embedders", name), "recipe_options", ())
        except UnknownPluginError as error:
            raise PluginError(f"the index needs an {error}: run `auskunft reindex`") from error
        options = {option: wanted[option] for option in taken if option in wanted}
        if name == self._settings.embedder and options.items() <= self.current.recipe.items():
            return self.current
        key = recipe_hash(wanted)
        with self.lock:
            if key not in self._others:
                self._others[key] = self._created(name, options)
            return self._others[key]

    def _created(self, name: str, options: Mapping[str, Any]) -> Embedder:
        """An embedder with the settings' options and these."""
        chosen = {**self._settings.embedder_options(name), **options}
        embedder: Embedder = registry.create("embedders", name, **chosen)
        if hasattr(embedder, "close"):
            self._opened(embedder.close)
        return embedder

"""Hashes of recipes and texts, by which results are cached."""

import json
from hashlib import sha256

from ingest.protocols import Embedder, Recipe


def recipe_hash(recipe: Recipe) -> str:
    """SHA-256 of the recipe's canonical JSON: equal recipes, equal hash, whatever the order of keys."""
    canonical = json.dumps(dict(recipe), sort_keys=True, separators=(",", ":"))
    return sha256(canonical.encode()).hexdigest()


def embedder_recipe(embedder: Embedder) -> Recipe:
    """The embedder's recipe with its dimensions, which a recipe may leave out (a server decides them).

    Raises ``EmbedderUnavailableError`` where the server must be asked and is away.
    """
    return embedder.recipe if "dims" in embedder.recipe else {**embedder.recipe, "dims": embedder.dims}


def text_hash(text: str) -> str:
    """SHA-256 of the text's UTF-8."""
    return sha256(text.encode()).hexdigest()

"""Hashes of recipes and texts, by which results are cached."""

import json
from hashlib import sha256

from ingest.protocols import Embedder, Recipe


def recipe_hash(recipe: Recipe) -> str:
    """Return the SHA-256 of the recipe's canonical JSON: the order of keys does not matter."""
    canonical = json.dumps(dict(recipe), sort_keys=True, separators=(",", ":"))
    return sha256(canonical.encode()).hexdigest()


def embedder_recipe(embedder: Embedder) -> Recipe:
    """Return the embedder's recipe with its dimensions, which a recipe lacks if a server decides them.

    Raises ``EmbedderUnavailableError`` if that server has to be asked and is away.
    """
    return embedder.recipe if "dims" in embedder.recipe else {**embedder.recipe, "dims": embedder.dims}


def text_hash(text: str) -> str:
    """Return the SHA-256 of the text's UTF-8."""
    return sha256(text.encode()).hexdigest()

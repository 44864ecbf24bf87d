"""Checks updates and vectors before they are indexed, and brings vectors to unit length."""

import numpy as np

from app.errors import InputError
from app.search.types import Update
from ingest.types import EmbeddedPage, PageRef, Vectors


def ref_and_sequence(update: Update) -> tuple[PageRef, int]:
    """The page and the sequence of an update."""
    if isinstance(update, EmbeddedPage):
        return update.page.ref, update.page.sequence
    return update.ref, update.sequence


def refusal(update: Update, dims: int) -> str:
    """Why an index of ``dims`` dimensions refuses ``update``; empty if it does not."""
    if not isinstance(update, EmbeddedPage):
        return ""
    page = update.page
    try:
        "".join((page.document, page.url, page.kind, *page.fields.values())).encode()
    except UnicodeEncodeError as error:
        return f"the text holds half a character (surrogate at {error.start}): send valid Unicode"
    return vector_refusal(update.vectors, dims)


def vector_refusal(vectors: Vectors, dims: int) -> str:
    """Why ``vectors``, shape ``(n, m)``, have no cosine in ``dims`` dimensions; empty if they have one."""
    n, size = vectors.shape
    if n and size != dims:
        return f"vectors have {size} numbers, the index holds {dims}: use the generation's embedder"
    bad = np.flatnonzero(~np.isfinite(vectors).all(axis=1))
    if len(bad):
        return f"vector {bad[0] + 1} of {n} is not finite"
    empty = np.flatnonzero(~vectors.any(axis=1))
    if len(empty):
        return f"vector {empty[0] + 1} of {n} is all zero"
    return ""


def question_vector(vector: Vectors, dims: int) -> Vectors:
    """A question's vector, shape ``(dims,)``, in unit form. Raises ``InputError`` if it has no cosine."""
    if reason := vector_refusal(np.atleast_2d(vector), dims):
        raise InputError(f"the question's vector cannot be searched: {reason}")
    unit: Vectors = normalised(np.atleast_2d(vector))[0]
    return unit


def normalised(vectors: Vectors) -> Vectors:
    """Each row divided by its length, computed in double precision so that no length under- or overflows."""
    exact = vectors.astype(np.float64)
    unit: Vectors = (exact / np.linalg.norm(exact, axis=1, keepdims=True)).astype(np.float32)
    return unit

"""The addresses that a crawl has visited, and their texts, which show duplicate pages."""

from collections import Counter
from dataclasses import replace
from typing import Final

from ingest.website.pages import Text
from ingest.website.visits import Absent, Broken, Found, Same, Step, Unreachable, Visit

MIN_WORDS: Final = 20
"""Shorter texts may be equal by chance and do not count as duplicates."""


class Seen:
    """Records visits. ``reasons``: why there was no page, with counts; ``step``: the last visit whose
    outcome was recorded (:meth:`record_outcome`)."""

    def __init__(self, start: str) -> None:
        self.reasons: Counter[str] = Counter()
        self.step = Step(address=start)
        self._steps: dict[str, Step] = {}
        self._visited: set[str] = set()
        self._same: set[str] = set()
        self._texts: dict[str, Text] = {}
        self._digests: dict[str, str] = {}

    def __contains__(self, address: str) -> bool:
        """Return True if the address was visited."""
        return address in self._visited

    def is_page(self, address: str) -> bool:
        """Return True if the address has a page of its own."""
        return address in self._texts or address in self._same

    def is_like(self, address: str, text: Text) -> bool:
        """Return True if ``text`` resembles that of the page at ``address``, or if that text is unknown."""
        target = self._texts.get(address)
        return target is None or text.is_like(target)

    def visit(self, step: Step) -> None:
        """Record the visit of an address; its outcome may follow later."""
        self._visited.add(step.address)
        self._steps[step.address] = step

    def repeat(self, step: Step) -> None:
        """Record a visit of an earlier crawl as one of this crawl."""
        self._visited.add(step.address)
        if step.absent is not None:
            self.reasons[step.absent.why] += 1
        elif step.digest:
            self._keep(step.address, Text(words=step.words, digest=step.digest, sketch=step.sketch))
        elif not step.is_failed:
            self._same.add(step.address)

    def unique(self, found: Found, text: Text) -> Visit:
        """Return the page, or ``Absent`` if its text was found at another address before."""
        first = self._digests.get(text.digest, found.address)
        if first != found.address:
            return Absent(address=found.address, why="the same text as another page", moved_to=first)
        self._keep(found.address, text)
        return found

    def record_outcome(self, visit: Visit) -> Visit:
        """Record the outcome of a recorded visit, and return it."""
        step = self._steps.pop(visit.address)
        if isinstance(visit, Absent):
            self.reasons[visit.why] += 1
            step = replace(step, absent=visit)
        elif isinstance(visit, Found) and (text := self._texts.get(visit.address)):
            step = replace(step, words=text.words, digest=text.digest, sketch=text.sketch)
        elif isinstance(visit, Same):
            self._same.add(visit.address)
        self.step = replace(step, is_failed=isinstance(visit, Broken | Unreachable))
        return visit

    def _keep(self, address: str, text: Text) -> None:
        self._texts[address] = replace(text, sample="")
        if text.words >= MIN_WORDS:
            self._digests.setdefault(text.digest, address)

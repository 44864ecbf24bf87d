"""The addresses that a crawl has visited, and by what two pages are known to be the same."""

from collections import Counter
from dataclasses import replace
from typing import Final

from ingest.website.pages import Text
from ingest.website.visits import Absent, Broken, Found, Same, Step, Unreachable, Visit

MIN_WORDS: Final = 20
"""Shorter texts may be equal by chance."""


class Seen:
    """``reasons``: why there was no page, counted; ``step``: the visit that was :meth:`counted` last."""

    def __init__(self, start: str) -> None:
        self.reasons: Counter[str] = Counter()
        self.step = Step(address=start)
        self._steps: dict[str, Step] = {}
        self._visited: set[str] = set()
        self._same: set[str] = set()
        self._texts: dict[str, Text] = {}
        self._digests: dict[str, str] = {}

    def __contains__(self, address: str) -> bool:
        """True if the address was visited."""
        return address in self._visited

    def is_page(self, address: str) -> bool:
        """True if there is a page of its own."""
        return address in self._texts or address in self._same

    def is_like(self, address: str, text: Text) -> bool:
        """True if ``text`` is that of the page at ``address``, or may be."""
        target = self._texts.get(address)
        return target is None or text.is_like(target)

    def visit(self, step: Step) -> None:
        """Note that an address is visited; what comes of it may show later."""
        self._visited.add(step.address)
        self._steps[step.address] = step

    def repeat(self, step: Step) -> None:
        """Take a visit of an earlier crawl for one of this crawl."""
        self._visited.add(step.address)
        if step.absent is not None:
            self.reasons[step.absent.why] += 1
        elif step.digest:
            self._keep(step.address, Text(words=step.words, digest=step.digest, sketch=step.sketch))
        elif not step.is_failed:
            self._same.add(step.address)

    def unique(self, found: Found, text: Text) -> Visit:
        """Return the page, unless its text was found at another address before."""
        first = self._digests.get(text.digest, found.address)
        if first != found.address:
            return Absent(address=found.address, why="the same text as another page", moved_to=first)
        self._keep(found.address, text)
        return found

    def counted(self, visit: Visit) -> Visit:
        """Return what came of an address that was visited."""
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

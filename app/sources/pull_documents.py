"""Pulls documents of many pages, such as acts of law: each is fetched if it changed, and replaced as a whole.

Only pages that the new text of their document lacks are deleted. A document stays as it is if it cannot be
fetched or read, if the settings no longer name it, or if its new text lacks too many pages, until a person
confirms that.
"""

from collections.abc import Callable
from typing import Final

from app.errors import PageError, SourceUnavailableError
from app.pages.crawl_notes import Note, address_of
from app.sources.pull_result import MAX_FAULTS_IN_A_ROW
from app.sources.source_pull import Progress, SourcePull
from ingest.fetching.validators import Validators
from ingest.protocols import DocumentSource
from ingest.types import PageRef
from ingest.website.visits import Step

NOTHING_KNOWN: Final = Validators()
NOTE_DOCUMENTS: Final = 20


class DocumentPull(SourcePull[DocumentSource]):
    """One pull of documents. A document is unchanged if its server says so or its text has the same pages.
    ``_faults``: how many in a row could not be fetched."""

    _faults = 0

    def run(self, *, progress: Progress, stop: Callable[[], bool]) -> None:
        """Pull as described in :meth:`app.sources.pull.Puller.pull`."""
        wanted = self._source.wanted()
        noted = {note.step.address: note for note in self._noted()[1]}
        rest = [item for item in wanted if address_of(item) not in noted]
        for item in wanted:
            if (note := noted.get(address_of(item))) is not None:
                self._repeat(note, item)
        known = self._pulls.validators(self._name)
        self.result.listed = len(wanted)
        try:
            for done, item in enumerate(rest):
                if stop():
                    self.result.left = len(rest) - done
                    break
                self._visit(item, known.get(item, NOTHING_KNOWN))
                if len(self._unsaved) >= NOTE_DOCUMENTS:
                    self._keep_notes(len(rest) - done - 1)
                progress(self._done, len(wanted))
        finally:
            self._keep_notes(self.result.left)
        self._set_failures()
        self._end(is_complete=True)

    def _visit(self, item: PageRef, known: Validators) -> None:
        """Fetch one document and note the result. Raises ``SourceUnavailableError`` after several in a row
        that cannot be fetched."""
        note = Note(step=Step(address=address_of(item)))
        try:
            self._fetch(item, known)
            self._faults = 0
        except PageError as error:
            self._fail(item, note, error)
        except SourceUnavailableError as error:
            self._miss(item, note, error)
            self._faults += 1
            if self._faults == MAX_FAULTS_IN_A_ROW:
                raise
        self._done += 1
        self._unsaved[note.step.address] = note

    def _fetch(self, item: PageRef, known: Validators) -> None:
        """Fetch one document and replace its pages."""
        with self._reading(item):
            document = self._source.fetch(item, known)
        if document is None:
            self.result.unchanged += 1
            return
        sent = {page.ref for page in document.pages}
        present = self._store.document_refs(self._name, [document.name])
        for why in self._guard.refused_documents(present, sent).values():
            raise PageError("invalid", why)
        accepted = self._store.accept_documents(self._name, document.pages)
        news = [result.ref for result in accepted if result.status == "accepted"]
        self.result.changed += [ref for ref in news if ref in sent]
        self.result.deleted += [ref for ref in news if ref not in sent]
        self.result.unchanged += not news
        self._pulls.remember_validators({item: document.validators})
        if news:
            self._wake(len(news))

"""Pulls documents of many pages, such as acts of law: each is fetched if it changed, and replaced as a whole.

Only pages that the new text of their document lacks are deleted. What cannot be fetched or read now, and what
the settings do not name any more, stays as it is. So does a document whose new text lacks too many pages,
until a person confirms it.
"""

from collections.abc import Callable
from typing import Final

from app.errors import PageError, SourceUnavailableError
from app.sources.pull_result import MAX_FAULTS_IN_A_ROW
from app.sources.source_pull import Progress, SourcePull
from ingest.fetching.validators import Validators
from ingest.page_guard import guarded
from ingest.protocols import DocumentSource
from ingest.types import PageRef

NOTHING_KNOWN: Final = Validators()


class DocumentPull(SourcePull[DocumentSource]):
    """One pull of documents. One counts as unchanged if its server says so or its text has the same pages."""

    def run(self, *, progress: Progress, stop: Callable[[], bool]) -> None:
        """See :meth:`app.sources.pull.Puller.pull`."""
        wanted = self._source.wanted()
        known = self._pulls.validators(self._name)
        self.result.listed = len(wanted)
        faults = 0
        for done, item in enumerate(wanted):
            if stop():
                self.result.left = len(wanted) - done
                break
            self._renew()
            try:
                self._fetch(item, known.get(item, NOTHING_KNOWN))
                faults = 0
            except PageError as error:
                self.result.failures[item] = error
            except SourceUnavailableError as error:
                self.result.waiting[item] = str(error)
                faults += 1
                if faults == MAX_FAULTS_IN_A_ROW:
                    raise
            progress(done + 1, len(wanted))
        self._finish()

    def _fetch(self, item: PageRef, known: Validators) -> None:
        """Fetch one document and replace its pages."""
        with guarded(item.id):
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

    def _finish(self) -> None:
        failures = {f"{item.id} ({item.language})": why for item, why in self.result.failures.items()}
        self._store.set_rejected(self._name, failures)
        self._end(is_complete=True)

"""A CMS as the tests play it: signs and sends events, asks about jobs and pages."""

import json
import time
from itertools import count
from typing import Any, Final

from flask.testing import FlaskClient
from werkzeug.test import TestResponse

from app.services import Services
from app.sources.signatures import headers, reading_token

SECRET: Final = "whsec_MfKQ9r8GKYqrTwjUPD8ILPZIo2LaLaSw"
SECOND_SECRET: Final = "whsec_AAECAwQFBgcICQoLDA0ODxAREhMUFRYXGBkaGxwdHh8="


def saved(page_id: object = "tax", revision: object = None, **fields: Any) -> dict[str, Any]:
    """The event of a page that was saved."""
    return {
        "type": "page.saved",
        "id": page_id,
        "language": "en",
        "url": f"https://town.example/{page_id}",
        "title": "Dog tax",
        "html": "<p>The dog tax is 96 euros a year.</p>",
        **({} if revision is None else {"revision": revision}),
        **fields,
    }


def deleted(page_id: str = "tax", revision: object = None, **fields: Any) -> dict[str, Any]:
    """The event of a page that was deleted."""
    return {
        "type": "page.deleted",
        "id": page_id,
        **({} if revision is None else {"revision": revision}),
        **fields,
    }


class Cms:
    """Sends as ``source`` to the application of ``services``."""

    def __init__(self, client: FlaskClient, services: Services, source: str = "town") -> None:
        self.client = client
        self.services = services
        self._source = source
        self._ids = map("message-{}".format, count(1))

    def post(
        self,
        document: object,
        *,
        message_id: str | None = None,
        secret: str = SECRET,
        sent: float | None = None,
        content_type: str = "application/json",
    ) -> TestResponse:
        """Send a document, or bytes as they are, signed."""
        body = document if isinstance(document, bytes) else json.dumps(document).encode()
        timestamp = int(time.time() if sent is None else sent)
        signed = headers(secret, message_id or next(self._ids), timestamp, body)
        url = f"/api/sources/{self._source}/events"
        return self.client.post(url, data=body, headers=signed, content_type=content_type)

    def send(self, *events: dict[str, Any], message_id: str | None = None) -> list[dict[str, Any]]:
        """Send events that are accepted; their jobs."""
        response = self.post({"events": list(events)}, message_id=message_id)
        assert response.status_code == 202, response.text
        jobs: list[dict[str, Any]] = response.get_json()["jobs"]
        return jobs

    def statuses(self, *events: dict[str, Any]) -> list[str]:
        """What becomes of events at once."""
        return [job["status"] for job in self.send(*events)]

    def index(self) -> None:
        """Bring what is due to the index."""
        while self.services.indexing.indexer.sync_pages():
            pass

    def job(self, job: dict[str, Any]) -> dict[str, Any]:
        """A job as it is now."""
        response = self.client.get(f"/api/jobs/{job['id']}")
        assert response.status_code == 200
        known: dict[str, Any] = response.get_json()
        return known

    def states(self, page_id: str, secret: str = SECRET) -> TestResponse:
        """How a page stands."""
        token = reading_token(secret, self._source)
        url = f"/api/sources/{self._source}/pages"
        return self.client.get(
            url, query_string={"id": page_id}, headers={"Authorization": f"Bearer {token}"}
        )

    def found(self, question: str = "How much is the dog tax?") -> list[tuple[str, str]]:
        """The ids and languages that a search finds, once all is indexed."""
        self.index()
        if not self.services.store.sources():
            return []
        response = self.client.get("/api/search", query_string={"q": question})
        return [(hit["id"], hit["language"]) for hit in response.get_json()["hits"]]

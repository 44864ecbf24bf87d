"""What must hold after every fault, once the queue has come to rest."""

import time
from collections.abc import Mapping
from typing import Final

from app.services import Services

REST_SECONDS: Final = 60.0
POLL_SECONDS: Final = 0.05


def gate(services: Services, failed: Mapping[str, str] | None = None) -> None:
    """Wait until nothing is pending; then the index holds exactly the newest version of each page in the
    store, and of nothing else, but those that ``failed``: reasons by page id."""
    wait_for_rest(services)
    rows = list(services.store.rows())
    reasons = {row.ref.id: row.reason.partition(":")[0] for row in rows if row.state == "failed"}
    assert reasons == (failed or {})
    wanted = {row.ref: row.sequence for row in rows if row.state == "indexed"}
    services.index.refresh()
    live = services.index.live()
    assert live is not None
    assert dict(services.index.refs(live.number)) == wanted

    newest = {item.ref: item.page for item in services.store.read(sorted(wanted))}
    served = {page.ref: page.fields for page in services.index.pages(sorted(wanted))}
    assert served.keys() == newest.keys()
    for ref, page in newest.items():
        assert page is not None
        assert served[ref] == {name: field.text for name, field in page.fields.items()}


def wait_for_rest(services: Services) -> None:
    """Wait until nothing is pending."""
    deadline = time.monotonic() + REST_SECONDS
    while services.store.pending():
        rows = [row for row in services.store.rows() if row.state in ("pending", "waiting")]
        assert time.monotonic() < deadline, f"still pending: {rows[:3]}"
        time.sleep(POLL_SECONDS)

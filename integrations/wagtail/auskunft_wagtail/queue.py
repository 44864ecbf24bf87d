"""What is to be sent: marked by editors' actions, claimed by senders, settled when Auskunft has it."""

from collections.abc import Iterable, Sequence
from datetime import UTC, datetime, timedelta
from typing import Any, Final

from django.db import transaction
from django.db.models import F, Max, Min, QuerySet, Value
from django.db.models.functions import Coalesce, Greatest
from wagtail.models import Page

from auskunft_wagtail.models import Entry

CLAIM: Final = timedelta(minutes=5)
"""How long a sender keeps others from what it sends; should it die, another goes on after that."""

MAX_PAUSE: Final = timedelta(minutes=5)
MAX_PAUSE_REFUSED: Final = timedelta(days=1)
_ROWS: Final = 500


def now() -> datetime:
    """Return the time, with zone."""
    return datetime.now(UTC)


def mark(page: int, *, subtree: bool = False, known_only: bool = False) -> None:
    """Note that a page changed; with ``subtree`` all below, too.

    ``known_only``: not if Auskunft never heard of it. One or two statements, whatever the tree.
    """
    changed = _changed() | {"bulk": False} | ({"subtree": True} if subtree else {})
    if Entry.objects.filter(pk=page).update(**changed) or known_only:
        return
    _create([page], subtree=subtree)


def mark_all() -> None:
    """Note that all pages changed: those that Auskunft knows, and those of the tree."""
    Entry.objects.filter(due=None).update(**_changed(), bulk=True)
    hurry()
    for root in Page.get_root_nodes():
        mark(root.pk, subtree=True)
        Entry.objects.filter(pk=root.pk).update(bulk=True)


def expand(entry: Entry) -> None:
    """Mark the live pages below an entry's page, and take its own mark away."""
    page = Page.objects.filter(pk=entry.page).first()
    below = list(page.get_descendants().live().values_list("pk", flat=True)) if page else []
    with transaction.atomic():
        for start in range(0, len(below), _ROWS):
            pages = below[start : start + _ROWS]
            known = Entry.objects.filter(pk__in=pages)
            missing = set(pages).difference(known.values_list("pk", flat=True))
            known.filter(due__isnull=False).update(**_changed())
            known.filter(due=None).update(**_changed(), bulk=entry.bulk)
            _create(sorted(missing), bulk=entry.bulk)
        Entry.objects.filter(pk=entry.pk, changes=entry.changes).update(subtree=False)


def claim(limit: int) -> list[Entry]:
    """Take what is due, at most ``limit`` entries, the work of editors first. Each gets a new revision."""
    moment = now()
    until = moment + CLAIM
    due = Entry.objects.filter(due__lte=moment)
    chosen = list(due.order_by("bulk", "due").values_list("pk", flat=True)[:limit])
    milliseconds = Value(int(moment.timestamp() * 1_000))
    # Each statement checks again what is due, so of two senders one gets the entry.
    taken = {"due": until, "revision": Greatest(F("revision") + 1, milliseconds)}
    claimed = [pk for pk in chosen if due.filter(pk=pk).update(**taken)]
    return list(Entry.objects.filter(pk__in=claimed))


def settle(entries: Iterable[Entry], published: dict[int, str]) -> None:
    """Note that Auskunft has ``entries``; ``published``: the language by page, of those that are to be found.

    What changed meanwhile is still due.
    """
    moment = now()
    for entry in entries:
        language = published.get(entry.pk, "")
        Entry.objects.filter(pk=entry.pk, revision=entry.revision).update(
            published=bool(language), language=language, sent_at=moment
        )
        Entry.objects.filter(pk=entry.pk, changes=entry.changes).update(
            due=None, waiting_since=None, attempts=0, problem="", refused=False, bulk=False
        )
    # Auskunft is there, so what waited for it need not wait longer.
    waiting().filter(refused=False, attempts__gt=0).update(due=moment, attempts=0, problem="")


def refuse(entry: Entry, problem: str) -> None:
    """Put an entry off that cannot be sent as it is."""
    pause = min(timedelta(minutes=2 ** min(entry.attempts, 20)), MAX_PAUSE_REFUSED)
    Entry.objects.filter(pk=entry.pk, changes=entry.changes).update(
        due=now() + pause, attempts=F("attempts") + 1, problem=problem, refused=True
    )


def postpone(entries: Sequence[Entry], problem: str, least: timedelta = timedelta()) -> None:
    """Put everything off, as Auskunft is away: for 1, 2, 4 … seconds, at most five minutes."""
    attempts = waiting().filter(refused=False).aggregate(most=Max("attempts"))["most"] or 0
    pause = max(min(timedelta(seconds=2 ** min(attempts, 20)), MAX_PAUSE), least)
    mine = Entry.objects.filter(pk__in=[entry.pk for entry in entries])
    for postponed in (mine, waiting().filter(refused=False)):
        postponed.update(due=now() + pause)
    waiting().filter(refused=False).update(attempts=F("attempts") + 1, problem=problem)


def hurry() -> None:
    """Make everything due now that waits."""
    waiting().update(due=now())


def waiting() -> QuerySet[Entry]:
    """Return the entries that are to be sent."""
    return Entry.objects.filter(due__isnull=False)


def next_due() -> datetime | None:
    """Return when the next entry is due; ``None`` if nothing waits."""
    moment: datetime | None = waiting().aggregate(first=Min("due"))["first"]
    return moment


def _changed() -> dict[str, Any]:
    moment = now()
    return {
        "changes": F("changes") + 1,
        "due": moment,
        "waiting_since": Coalesce(F("waiting_since"), Value(moment)),
        "refused": False,
    }


def _create(pages: Sequence[int], *, bulk: bool = False, subtree: bool = False) -> None:
    """Insert entries; those that another process inserted meanwhile are due by that."""
    moment = now()
    entries = [
        Entry(page=pk, changes=1, due=moment, waiting_since=moment, bulk=bulk, subtree=subtree)
        for pk in pages
    ]
    Entry.objects.bulk_create(entries, ignore_conflicts=True)

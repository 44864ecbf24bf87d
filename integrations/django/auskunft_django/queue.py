"""What is to be sent: marked by editors' actions, claimed by senders, settled when Auskunft has it."""

from collections.abc import Iterable, Sequence
from datetime import UTC, datetime, timedelta
from typing import Any, Final

from django.db import transaction
from django.db.models import F, Max, Min, QuerySet, Value
from django.db.models.functions import Coalesce, Greatest

from auskunft_django.addresses import is_address
from auskunft_django.models import Entry
from auskunft_django.website import website

CLAIM: Final = timedelta(minutes=5)
"""How long a sender keeps others from what it sends; should it die, another goes on after that."""

MAX_PAUSE: Final = timedelta(minutes=5)
MAX_PAUSE_REFUSED: Final = timedelta(days=1)
_ROWS: Final = 500


def now() -> datetime:
    """Return the time, with zone."""
    return datetime.now(UTC)


def entries() -> QuerySet[Entry]:
    """Return all entries, of the table of the app that knows the pages."""
    found: QuerySet[Entry] = website().get_model("Entry").objects.all()
    return found


def mark(page: str, *, subtree: bool = False, known_only: bool = False, deleted: bool = False) -> bool:
    """Note that a page changed; with ``subtree`` all below, too. Tell whether there is something to send.

    ``known_only``: not if Auskunft never heard of it. At most three statements, whatever the tree.
    """
    changed = _changed() | {"bulk": False, "deleted": deleted} | ({"subtree": True} if subtree else {})
    if entries().filter(pk=page).update(**changed):
        return True
    if not known_only:
        _create([page], subtree=subtree, deleted=deleted)
        # Somebody else's entry may have been first, and be sent before this transaction commits.
        entries().filter(pk=page).update(**changed)
    return not known_only


def mark_all() -> None:
    """Note that all pages changed: those that Auskunft knows, and those of the tree."""
    entries().filter(due=None).update(**_changed(), bulk=True)
    hurry()
    for root in website().pages.roots():
        mark(root, subtree=True)
        entries().filter(pk=root).update(bulk=True)


def expand(entry: Entry) -> None:
    """Mark the pages below an entry's page, and take its own mark away."""
    below = [] if is_address(entry.page) else list(website().pages.below(entry.page))
    with transaction.atomic():
        for start in range(0, len(below), _ROWS):
            pages = below[start : start + _ROWS]
            known = entries().filter(pk__in=pages)
            missing = set(pages).difference(known.values_list("pk", flat=True))
            known.filter(due__isnull=False).update(**_changed())
            known.filter(due=None).update(**_changed(), bulk=entry.bulk)
            _create(sorted(missing), bulk=entry.bulk)
        entries().filter(pk=entry.pk, changes=entry.changes).update(subtree=False)


def claim(limit: int) -> list[Entry]:
    """Take what is due, at most ``limit`` entries, the work of editors first. Each gets a new revision.

    Pages whose subtree is due come before others, and alone: those below are marked then, and would be read
    twice if they had been sent before or with them.
    """
    moment = now()
    until = moment + CLAIM
    due = entries().filter(due__lte=moment)
    first = list(due.order_by("bulk", "-subtree", "due").values_list("pk", "subtree")[:limit])
    chosen = [pk for pk, subtree in first if subtree == first[0][1]]
    milliseconds = Value(int(moment.timestamp() * 1_000))
    # Each statement checks again what is due, so of two senders one gets the entry.
    taken = {"due": until, "revision": Greatest(F("revision") + 1, milliseconds)}
    claimed = [pk for pk in chosen if due.filter(pk=pk).update(**taken)]
    return list(entries().filter(pk__in=claimed))


def settle(sent: Iterable[tuple[Entry, list[dict[str, str]]]]) -> None:
    """Note that Auskunft has these entries, each with the versions that it has.

    What changed meanwhile is still due.
    """
    moment = now()
    for entry, known in sent:
        entries().filter(pk=entry.pk, revision=entry.revision).update(
            published=bool(known), known=known, sent_at=moment
        )
        entries().filter(pk=entry.pk, changes=entry.changes).update(
            due=None, waiting_since=None, attempts=0, problem="", refused=False, bulk=False
        )
    # Auskunft is there, so what waited for it need not wait longer.
    waiting().filter(refused=False, attempts__gt=0).update(due=moment, attempts=0, problem="")


def refuse(entry: Entry, problem: str) -> None:
    """Put an entry off that cannot be sent as it is."""
    pause = min(timedelta(minutes=2 ** min(entry.attempts, 20)), MAX_PAUSE_REFUSED)
    entries().filter(pk=entry.pk, changes=entry.changes).update(
        due=now() + pause, attempts=F("attempts") + 1, problem=problem, refused=True
    )


def postpone(mine: Sequence[Entry], problem: str, least: timedelta = timedelta()) -> None:
    """Put everything off, as Auskunft is away: for 1, 2, 4 … seconds, at most five minutes."""
    attempts = waiting().filter(refused=False).aggregate(most=Max("attempts"))["most"] or 0
    pause = max(min(timedelta(seconds=2 ** min(attempts, 20)), MAX_PAUSE), least)
    claimed = entries().filter(pk__in=[entry.pk for entry in mine])
    for postponed in (claimed, waiting().filter(refused=False)):
        postponed.update(due=now() + pause)
    waiting().filter(refused=False).update(attempts=F("attempts") + 1, problem=problem)


def hurry() -> None:
    """Make everything due now that waits."""
    waiting().update(due=now())


def waiting() -> QuerySet[Entry]:
    """Return the entries that are to be sent."""
    return entries().filter(due__isnull=False)


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


def _create(
    pages: Sequence[str], *, bulk: bool = False, subtree: bool = False, deleted: bool = False
) -> None:
    """Insert entries; those that another process inserted meanwhile stay as they are."""
    moment = now()
    given = {"changes": 1, "due": moment, "waiting_since": moment}
    given |= {"bulk": bulk, "subtree": subtree, "deleted": deleted}
    model = entries().model
    entries().bulk_create([model(page=page, **given) for page in pages], ignore_conflicts=True)

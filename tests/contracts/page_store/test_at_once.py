"""Whatever threads do at once: nobody waits for ever, and index and store agree in the end."""

from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from datetime import UTC, datetime
from random import Random
from threading import Barrier, Lock

from sqlalchemy import URL, Engine

from app.pages.database import open_engine
from app.pages.page_list import PageList
from app.pages.store import PageStore
from app.pages.types import Claim, Failed, Indexed, Outcome, StoredVersion, Waiting
from ingest.types import PageRef
from tests.contracts.page_store.helpers import index
from tests.contracts.raw_pages import delete, page, ref, save

IDS = [f"p{number}" for number in range(6)]
LANGUAGES = ["de", "en"]
ACTIONS_PER_THREAD = 40
REFUSED = Failed(reason="invalid", message="no")
OUTCOMES: list[Outcome] = [Indexed(), Indexed(), Waiting(reason="away", seconds=0), REFUSED]


class Site:
    """Editors, workers and a rebuild at work on one store, and an index that keeps the highest sequence."""

    def __init__(self, store: PageStore) -> None:
        self.store = store
        self.versions: dict[PageRef, int] = {}
        self.served: set[PageRef] = set()
        self.lock = Lock()

    def act(self, seed: int) -> None:
        """Do random things, as a worker with a name of its own."""
        random, worker = Random(seed), f"w{seed}"
        actions: list[Callable[[Random, str], None]] = [
            *[self.save] * 3,
            *[self.work] * 4,
            self.delete,
            self.exclude,
            self.replace,
            self.die,
            self.rebuild,
            self.requeue,
        ]
        for _ in range(ACTIONS_PER_THREAD):
            random.choice(actions)(random, worker)

    def save(self, random: Random, _: str) -> None:
        text, language = random.choice("abc"), random.choice(LANGUAGES)
        chosen = random.sample(IDS, 3)
        self.store.accept(
            [save(name, text, language=language) for name in chosen], priority=random.randint(0, 1)
        )

    def delete(self, random: Random, _: str) -> None:
        self.store.accept([delete(name, language=None) for name in random.sample(IDS, 2)])

    def exclude(self, random: Random, _: str) -> None:
        change = random.choice([self.store.exclude, self.store.include, self.store.include])
        change("town", random.choice(IDS))

    def replace(self, random: Random, _: str) -> None:
        document = random.choice(IDS)
        self.store.accept_documents("town", [page(document, random.choice("abc"))])

    def work(self, random: Random, worker: str) -> None:
        for claim in self.store.claim(4, worker):
            outcome = random.choice(OUTCOMES)
            if isinstance(outcome, Failed) and claim.page is None:
                outcome = Indexed()  # taking a page out never fails for good
            if isinstance(outcome, Indexed):
                self.write(claim)
            self.store.finish([(claim.ref, claim.sequence, outcome)], worker)

    def die(self, random: Random, worker: str) -> None:
        for claim in self.store.claim(2, worker):
            if random.random() < 0.5:
                self.write(claim)
        self.store.release(worker)

    def rebuild(self, random: Random, _: str) -> None:
        refs = [ref(name, language) for name in IDS for language in LANGUAGES]
        random.shuffle(refs)
        stored = self.store.read(refs)
        for item in stored:
            self.write(item)
        refused = {
            item.ref: item.sequence for item in stored if item.page is not None and random.random() < 0.2
        }
        self.store.record_indexed({item.ref: item.sequence for item in stored if item.ref not in refused})
        self.store.record_failed(refused, dict.fromkeys(refused, REFUSED))

    def requeue(self, _: Random, __: str) -> None:
        self.store.requeue("town")

    def write(self, item: StoredVersion) -> None:
        with self.lock:
            if item.sequence < self.versions.get(item.ref, 0):
                return
            self.versions[item.ref] = item.sequence
            (self.served.discard if item.page is None else self.served.add)(item.ref)


def test_whatever_is_done_at_once_index_and_store_agree_in_the_end(
    page_list: PageList, engine: Engine
) -> None:
    store = PageStore(engine, max_attempts=10_000)
    store.accept([save(name, language=language) for name in IDS for language in LANGUAGES])
    site = Site(store)
    with ThreadPoolExecutor(8) as pool:
        list(pool.map(site.act, range(8)))
    store.requeue("town")
    while claims := store.claim(10, "last"):
        for claim in claims:
            site.write(claim)
            store.finish([(claim.ref, claim.sequence, Indexed())], "last")
    rows = list(page_list.records())
    assert (store.pending(), len(rows)) == (0, len(IDS) * len(LANGUAGES))
    assert site.served == {row.ref for row in rows if row.state == "indexed"}
    assert {row.ref: row.sequence for row in rows} == site.versions
    assert site.served == {row.ref for row in rows} - store.hidden(
        {row.ref for row in rows}, datetime.now(UTC)
    )
    assert len({row.sequence for row in rows}) == len(rows)
    assert max(row.sequence for row in rows) <= store.watermark()


def test_claimers_at_once_share_the_pages_out_without_one_twice(url: URL) -> None:
    engines = [open_engine(url) for _ in range(6)]
    stores = [PageStore(engine) for engine in engines]
    stores[0].accept([save(f"p{number}") for number in range(60)])
    together = Barrier(6)

    def claims(number: int) -> list[Claim]:
        together.wait()
        return stores[number].claim(10, f"w{number}")

    with ThreadPoolExecutor(6) as pool:
        claimed = [claim.ref for some in pool.map(claims, range(6)) for claim in some]
    assert len(set(claimed)) == len(claimed)
    assert stores[0].pending() == 60
    for store in stores:
        claimed += index(store)
    assert sorted(set(claimed)) == sorted(ref(f"p{number}") for number in range(60))
    for engine in engines:
        engine.dispose()

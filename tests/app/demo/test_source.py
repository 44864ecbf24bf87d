"""The sample site as it is served: at whatever address, its texts are the same."""

from pathlib import Path

from app.background.importer import Importer
from app.demo.source import sample_pages
from app.indexing.progress import Progress
from app.search.index import live_generation
from app.services import Services
from app.settings.settings import Settings
from tests.fakes.databases import new_data


def test_a_demo_on_another_port_embeds_nothing_again(tmp_path: Path) -> None:
    computed: list[int] = []
    with Services(Settings(data=new_data(tmp_path / "data"), embedder="hashing")) as services:
        live = live_generation(services.indexing.index, services.store.id)
        shown: list[Progress] = []
        importer = Importer(
            store=services.store,
            indexer=services.indexing.indexer,
            show=lambda _stage, progress: shown.append(progress),
        )
        for port in (8000, 8001):
            importer.run(sample_pages("demo", f"http://127.0.0.1:{port}/otterfurt/"))
            computed.append(shown[-1].computed)
        refs = [ref for ref, _ in services.indexing.index.refs(live.number)]
        pages = services.indexing.index.pages(refs)
    assert computed[0] > 0
    assert computed[1] == 0
    assert {page.url.partition("/otterfurt/")[0] for page in pages} == {"http://127.0.0.1:8001"}

"""The set-ups of docs/systems.md start as they stand there, and answer a question.

Servers of language models, embedders and rerankers are stand-ins on loopback; BGE-M3 itself, which is not
installed here, is replaced by embedder ``hashing`` (``tests/app/indexing/test_flag_embedding.py`` runs it).
"""

import json
import re
import tomllib
from collections.abc import Iterator
from pathlib import Path
from typing import Any, Final

import pytest

from app import create_app
from app.monitoring.readiness import checks
from app.services import Services
from app.settings.settings import Settings, load_settings
from ingest.types import FieldName, PageRef, RawField, RawPage, Save
from tests.fakes.embeddings_server import FakeEmbeddings
from tests.fakes.llm import FakeLlm, Reply
from tests.fakes.rerank_server import FakeReranker

ROOT: Final = Path(__file__).parent.parent
GUIDE: Final = (ROOT / "docs/systems.md").read_text("utf-8")
SYSTEMS: Final = {
    "1 Chatbot of a website": "egocms",
    "2 AI Act chatbot of a regulator": "rtr",
    "3 A language model as a judge": "default",
    "4 Energy law of the EU": "eurlex",
    "5 Contextual retrieval": "contextual",
}
QUESTION: Final = "How high is the network fee for storage?"
ANSWER: Final = "The network fee for storage is 96 euros [1]."
TEXT: Final = "# Network fees\n\nThe network fee for storage is 96 euros a year.\n\nIt is due in May."


def section(heading: str) -> str:
    """What stands below a heading of the guide."""
    [found] = re.findall(rf"^## {re.escape(heading)}\n(.*?)(?=^## )", GUIDE, re.MULTILINE | re.DOTALL)
    return str(found)


def files(heading: str) -> dict[str, str]:
    """The files of a set-up by their names: a first line names one, the other is ``auskunft.toml``."""
    blocks = re.findall(r"^```toml\n(.*?)^```$", section(heading), re.MULTILINE | re.DOTALL)
    named = re.compile(r"# (\S+\.toml)\n")
    return {match[1] if (match := named.match(block)) else "auskunft.toml": block for block in blocks}


@pytest.fixture(params=SYSTEMS)
def heading(request: pytest.FixtureRequest) -> str:
    return str(request.param)


@pytest.fixture
def folder(heading: str, tmp_path: Path) -> Path:
    """A folder with the files of the set-up."""
    for name, text in files(heading).items():
        (tmp_path / name).parent.mkdir(exist_ok=True)
        (tmp_path / name).write_text(text, "utf-8")
    return tmp_path


@pytest.fixture
def settings(folder: Path, llm: FakeLlm, monkeypatch: pytest.MonkeyPatch) -> Iterator[Settings]:
    """The set-up's settings, with its servers on loopback."""
    given = tomllib.loads((folder / "auskunft.toml").read_text("utf-8"))
    with FakeEmbeddings() as embeddings, FakeReranker() as reranker:
        stand_ins = {
            "AUSKUNFT_CHAT__BASE_URL": llm.base_url,
            "AUSKUNFT_EMBEDDERS__ENDPOINT__BASE_URL": embeddings.base_url,
            "AUSKUNFT_RERANKERS__ENDPOINT__BASE_URL": reranker.base_url,
            "AUSKUNFT_EMBEDDER": "endpoint" if given["embedder"] == "endpoint" else "hashing",
        }
        for table in ("judge", "contexts"):
            if table in given:
                stand_ins[f"AUSKUNFT_{table.upper()}__BASE_URL"] = llm.base_url
        for name, value in stand_ins.items():
            monkeypatch.setenv(name, value)
        yield load_settings(folder / "auskunft.toml", data=folder / "data")


@pytest.fixture
def llm() -> Iterator[FakeLlm]:
    with FakeLlm() as server:
        server.repeats_questions = True
        server.default = Reply(deltas=(f"STATUS: answered\n{ANSWER}",))
        yield server


def page(source: str) -> Save:
    fields: dict[FieldName, RawField] = {
        "title": RawField(text="Network fees", media_type="text/plain"),
        "content": RawField(text=TEXT, media_type="text/markdown"),
    }
    ref = PageRef(source=source, id="fees", language="en")
    return Save(page=RawPage(ref=ref, document="fees", url="https://www.town.example/fees", fields=fields))


def asked(services: Services, site: str, **body: str) -> dict[str, Any]:
    """What the site answers: the data of its events by name, its text joined."""
    client = create_app(services=services).test_client()
    response = client.post(f"/api/chat?site={site}&format=markdown", json={"question": QUESTION, **body})
    assert response.status_code == 200, response.text
    frames = [frame.split("\n") for frame in response.text.split("\n\n") if frame.startswith("event:")]
    data = [(name.removeprefix("event: "), json.loads(text.removeprefix("data: "))) for name, text in frames]
    return dict(data) | {"text": "".join(each.get("text", "") for _, each in data)}


def test_every_system_is_there_and_names_files_that_exist() -> None:
    assert set(SYSTEMS) <= set(re.findall(r"^## (.+)$", GUIDE, re.MULTILINE))
    for name in SYSTEMS:
        composed = re.findall(r"`(docker-compose[\w.]*\.yml)`", section(name))
        assert composed
        assert all((ROOT / file).exists() for file in composed)


def test_it_has_the_embedder_context_and_preset_that_the_table_says(heading: str, settings: Settings) -> None:
    [row] = [line for line in GUIDE.splitlines() if line.startswith("|") and heading[2:] in line]
    *_, preset, embedder, context = (cell.strip() for cell in row.strip("|").split("|"))
    given = tomllib.loads(files(heading)["auskunft.toml"])
    assert settings.preset == given["preset"] == SYSTEMS[heading]
    assert f"`{settings.preset}`" in preset
    assert re.findall(r"[\d,]+", context)[0] == f"{settings.chat.context_tokens:,}"
    options = given.get("embedders", {}).get(given["embedder"], {})
    prefixes = [options[name] for name in ("query_prefix", "document_prefix") if name in options]
    assert re.findall("`(.+?)`", embedder) == prefixes


def test_it_starts_and_its_site_answers_a_question(settings: Settings) -> None:
    [site] = settings.sites
    assert site.subject
    with Services(settings) as services:
        sources = {source for each in site.variants() for source in each.sources} or {"town"}
        services.store.accept([page(source) for source in sorted(sources)])
        services.indexing.indexer.sync_pages()
        assert services.store.pending() == 0
        answers = [
            asked(services, site.key, **({"index": name} if name else {})) for name in site.indexes or [""]
        ]
        unwell = {check.name: check.detail for check in checks(services) if not check.ok}
    for answer in answers:
        assert ANSWER.removesuffix(" [1].") in answer["text"]
        assert answer["done"]["status"] == "answered"
        assert {source["url"] for source in answer["sources"]["sources"]} == {"https://www.town.example/fees"}
    assert "model context" not in unwell
    assert unwell.keys() <= {"language model", "energy", "contexts", "live quality", "workers"}, unwell

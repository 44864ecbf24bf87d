"""The examples for other programs, run by the real programs against a running server."""

import importlib
import importlib.util
import re
from pathlib import Path
from types import ModuleType

import httpx
import pytest

EXAMPLES = Path(__file__).parents[2] / "examples"
QUESTION = "Was kostet die Hundesteuer?"

pytestmark = [
    pytest.mark.programs,
    pytest.mark.filterwarnings("ignore::DeprecationWarning", "ignore::FutureWarning", "ignore::UserWarning"),
]


def loaded(name: str) -> ModuleType:
    """The example as a module."""
    spec = importlib.util.spec_from_file_location(name, EXAMPLES / f"{name}.py")
    assert spec is not None
    assert spec.loader is not None
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


@pytest.mark.parametrize("name", ["langchain_retriever", "haystack_retriever"])
def test_an_example_is_short_and_described(name: str) -> None:
    text = (EXAMPLES / f"{name}.py").read_text("utf-8")
    guide = (EXAMPLES.parent / "docs" / "programs.md").read_text("utf-8")
    assert len(text.splitlines()) < 60
    [call] = re.findall(r"AuskunftRetriever\(url=[^\n]*", text.split('"""')[1])
    assert call in guide


def test_langchain_gets_passages_with_addresses(address: str) -> None:
    retriever = loaded("langchain_retriever").AuskunftRetriever(url=address, k=2)
    first, *others = retriever.invoke(QUESTION)
    assert len(others) == 1
    assert "Hundesteuer" in first.page_content
    assert first.metadata["source"].partition("#")[0].endswith("/de/hundesteuer.html")
    assert first.metadata["title"]


def test_langchain_chains_the_retriever(address: str) -> None:
    retriever = loaded("langchain_retriever").AuskunftRetriever(url=address, source="files")
    chain = retriever | (lambda documents: [document.metadata["title"] for document in documents])
    assert chain.invoke(QUESTION)[0] == "Hundesteuer: Hund anmelden und abmelden"


def test_haystack_runs_the_retriever_in_a_pipeline_that_was_saved(
    address: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("HAYSTACK_TELEMETRY_ENABLED", "False")
    from haystack import Pipeline  # type: ignore[import-not-found] # noqa: PLC0415

    monkeypatch.syspath_prepend(str(EXAMPLES))
    component = importlib.import_module("haystack_retriever").AuskunftRetriever
    pipeline = Pipeline()
    pipeline.add_component("retriever", component(url=address))
    again = Pipeline.loads(pipeline.dumps(), allowed_modules=["haystack_retriever"])
    documents = again.run({"retriever": {"query": QUESTION, "top_k": 2}})["retriever"]["documents"]
    assert len(documents) == 2
    assert "Hundesteuer" in documents[0].content
    assert documents[0].meta["url"].partition("#")[0].endswith("/de/hundesteuer.html")
    assert documents[0].score >= documents[1].score


def test_a_site_that_is_not_there_is_an_error_and_no_empty_list(address: str) -> None:
    retriever = loaded("langchain_retriever").AuskunftRetriever(url=address, site="nobody")
    with pytest.raises(httpx.HTTPStatusError, match="404"):
        retriever.invoke(QUESTION)

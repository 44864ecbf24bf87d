"""The costs beside other libraries: what is counted, without these libraries."""

import sys
from pathlib import Path

import pytest

from benchmarks import peers
from benchmarks.extraction import TRAFILATURA
from benchmarks.ingest import EDIT, Record

WORDS = "The pool opens at nine. Adults pay five euros.\n\n" * 40


def record(name: str, text: str) -> Record:
    return {
        "id": name,
        "url": f"https://town.example/{name}",
        "language": "en",
        "title": name,
        "markdown": text,
    }


RECORDS = [record("short", "The bus stops here."), record("long", WORDS)]


def test_one_sentence_is_added_in_the_middle_of_the_longest_page() -> None:
    short, long = peers.with_edit(RECORDS)
    assert short is RECORDS[0]
    before, after = long["markdown"].split(EDIT)
    assert before + after == WORDS
    assert abs(len(before) - len(after)) < 100


def test_our_pipeline_embeds_all_once_and_then_only_what_the_edit_changed() -> None:
    runs = peers._ours(RECORDS, peers.with_edit(RECORDS))
    assert len(runs.first) > len(runs.again) > 0
    assert sorted(runs.alone) == sorted(runs.again)
    assert any(EDIT.strip() in text for text in runs.again)


def test_the_table_has_tokens_and_texts_of_every_library() -> None:
    runs = peers.Runs(label="Ours", first=["a b", "c"], again=["a"], alone=[])
    *_, row = peers.table([runs], lambda text: len(text.split()))
    assert row == "| Ours | 3 (2) | 1 (1) | 0 (0) |"


@pytest.mark.parametrize("peer", [*peers.PEERS, TRAFILATURA], ids=lambda peer: peer.name)
def test_each_library_has_a_script_that_compiles_and_an_environment_of_its_own(
    peer: peers.Peer, tmp_path: Path
) -> None:
    script = peers.SCRIPTS / peer.script
    compile(script.read_text("utf-8"), str(script), "exec")
    python = tmp_path / peer.name.lower() / "bin" / "python"
    python.parent.mkdir(parents=True)
    python.symlink_to(sys.executable)
    assert peers.environment(peer, tmp_path) == python


def test_a_script_gets_the_pages_and_its_reply_is_read(
    monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    script = (
        "import json, sys\n"
        "ids = [[page['id'] for page in pages] for pages in json.load(sys.stdin)]\n"
        "print(json.dumps({'version': '1', 'embedded': ids}))\n"
    )
    (tmp_path / "echo.py").write_text(script)
    monkeypatch.setattr(peers, "SCRIPTS", tmp_path)
    peer = peers.Peer(name="Echo", script="echo.py", packages=())
    reply = peers.run_script(Path(sys.executable), peer, [RECORDS, RECORDS[:1]])
    assert reply == {"version": "1", "embedded": [["short", "long"], ["short"]]}

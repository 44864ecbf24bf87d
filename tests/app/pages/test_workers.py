"""Who lives and who is dead."""

import fcntl
import multiprocessing
import os
import signal
import time
from multiprocessing.synchronize import Event
from pathlib import Path

import pytest

from app.errors import DataFolderError
from app.pages.workers import WorkerRegistry


def registered(folder: Path) -> WorkerRegistry:
    """A registry of a process that writes."""
    registry = WorkerRegistry(folder)
    assert registry.id
    return registry


def dead(registry: WorkerRegistry) -> list[str]:
    """Who is released now."""
    released: list[str] = []
    assert registry.release_dead(released.append) == bool(released)
    return released


def test_the_living_are_not_dead_not_even_in_the_same_process(tmp_path: Path) -> None:
    first, second = registered(tmp_path / "workers"), registered(tmp_path / "workers")
    assert first.id != second.id
    assert (dead(first), dead(second)) == ([], [])
    first.close()
    second.close()


def test_one_that_closed_is_dead_once_so_that_what_an_interrupt_left_is_given_back(tmp_path: Path) -> None:
    first, second = registered(tmp_path), registered(tmp_path)
    first.close()
    first.close()
    assert (dead(second), dead(second)) == ([first.id], [])
    assert [path.stem for path in tmp_path.iterdir()] == [second.id]
    second.close()


def test_one_that_could_not_be_released_comes_again(tmp_path: Path) -> None:
    first, second = registered(tmp_path), registered(tmp_path)
    first.close()

    def fail(_worker: str) -> None:
        raise DataFolderError("the disk is full")

    with pytest.raises(DataFolderError):
        second.release_dead(fail)
    assert dead(second) == [first.id]
    second.close()


def live_with_a_child(folder: Path, ready: Event) -> None:
    registry = WorkerRegistry(folder)
    (folder / "name").write_text(registry.id)
    if os.fork() == 0:
        ready.set()
        time.sleep(5)
        os._exit(0)
    time.sleep(60)


def test_a_killed_process_is_dead_once_even_while_its_forked_child_lives(tmp_path: Path) -> None:
    spawn = multiprocessing.get_context("spawn")
    ready = spawn.Event()
    process = spawn.Process(target=live_with_a_child, args=(tmp_path, ready))
    process.start()
    assert ready.wait(20)
    registry = WorkerRegistry(tmp_path)
    assert dead(registry) == []
    assert process.pid is not None
    os.kill(process.pid, signal.SIGKILL)
    process.join()
    assert dead(registry) == [(tmp_path / "name").read_text()]
    assert dead(registry) == []
    registry.close()


def test_a_process_that_is_just_registering_does_not_count_as_dead(tmp_path: Path) -> None:
    registry = WorkerRegistry(tmp_path)
    half = tmp_path / "half.new"
    half.touch()
    assert dead(registry) == []
    assert half.exists()
    registry.close()


def test_the_file_has_its_name_only_while_it_is_locked(tmp_path: Path) -> None:
    registry = WorkerRegistry(tmp_path)
    with (tmp_path / f"{registry.id}.lock").open("r+") as file, pytest.raises(BlockingIOError):
        fcntl.flock(file, fcntl.LOCK_EX | fcntl.LOCK_NB)
    registry.close()


def test_a_folder_that_cannot_be_made_is_one_line(tmp_path: Path) -> None:
    (tmp_path / "file").touch()
    with pytest.raises(DataFolderError, match=r"\Adata folder: .*file/workers cannot be used .*\Z"):
        _ = WorkerRegistry(tmp_path / "file" / "workers").id


def test_who_only_reads_makes_no_file(tmp_path: Path) -> None:
    reader = WorkerRegistry(tmp_path / "workers")
    assert dead(reader) == []
    reader.close()
    assert not (tmp_path / "workers").exists()

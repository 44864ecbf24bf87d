"""Let a run of tests survive the crash of one of its workers.

xdist 3.8 gives out again the files that a dead worker had finished. To run nothing is never reported, and the
run waits for ever (https://github.com/pytest-dev/pytest-xdist/issues/1378). Its next release repairs this.
"""

from typing import Any

import pytest
from xdist.scheduler.loadfile import LoadFileScheduling
from xdist.workermanage import WorkerController


class FileScheduling(LoadFileScheduling):  # type: ignore[misc]
    """Gives whole files to the workers, and what a dead one had not run to the others."""

    def remove_node(self, node: WorkerController) -> str | None:
        """Return the test in which the worker died, if it did: it counts as run, and is not tried again."""
        files = self.assigned_work.pop(node)
        unfinished = {file: tests for file, tests in files.items() if not all(tests.values())}
        if not unfinished:
            return None
        tests = next(iter(unfinished.values()))
        crashed: str = next(test for test, done in tests.items() if not done)
        tests[crashed] = True
        self.workqueue.update({file: tests for file, tests in unfinished.items() if not all(tests.values())})
        for other in self.assigned_work:
            self._reschedule(other)
        return crashed

    def _reschedule(self, node: WorkerController) -> None:
        if node not in self.registered_collections:  # it collects, in place of one that died
            return
        # A worker starts a test once it knows the next one: a file of a single test is too little.
        while self.workqueue and not node.shutting_down and self._pending_of(self.assigned_work[node]) <= 2:
            self._assign_work_unit(node)
        super()._reschedule(node)


@pytest.hookimpl(optionalhook=True)
def pytest_xdist_make_scheduler(config: pytest.Config, log: Any) -> FileScheduling | None:
    """Take the place of ``--dist loadfile``."""
    return FileScheduling(config, log) if config.getvalue("dist") == "loadfile" else None

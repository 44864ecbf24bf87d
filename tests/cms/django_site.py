"""A real Django site on loopback: the demo of an integration, in an environment of its own."""

import json
import os
import subprocess
from pathlib import Path
from types import TracebackType
from typing import Any, Final, Self

import httpx

from tests.cms.service import seconds_until

ROOT: Final = Path(__file__).parents[2]
PYTHON: Final = ROOT / ".venv" / "cms" / "bin" / "python"
INTEGRATIONS: Final = ROOT / "integrations"
APPS: Final = INTEGRATIONS / "django"
SECONDS: Final = 60.0
LOGIN: Final = "/admin/login/"
_SHELL: Final = """
import json, sys, django
django.setup()
from datetime import timedelta
from auskunft_django import changes, client, config, queue, sender, status, visitors
from django.contrib.auth import get_user_model
get_user_model().objects.filter(username="editor").exists() or get_user_model().objects.create_superuser(
    "editor", "editor@town.example", "secret")
names = dict(globals())
print(json.dumps("ready"), flush=True)
for line in sys.stdin:
    names["result"] = None
    exec(json.loads(line), names)
    print(json.dumps(names["result"]), flush=True)
"""


class DjangoSite:
    """The site's server, a shell of Django as administrators use it, and an editor who is logged in."""

    def __init__(self, demo: str, folder: Path, port: int, auskunft: str, secret: str, **more: str) -> None:
        self.demo = INTEGRATIONS / demo / "demo"
        self.port = port
        self.address = f"http://127.0.0.1:{port}"
        self.environment = {
            "PATH": os.environ["PATH"],
            "PYTHONPATH": str(APPS),
            "PYTHONDONTWRITEBYTECODE": "1",
            "PYTHONWARNINGS": "ignore",
            "DJANGO_SETTINGS_MODULE": "town.settings",
            "TOWN_DATA": str(folder),
            "TOWN_ADDRESS": self.address,
            "CHAT_URL": auskunft,
            "CHAT_SECRET": secret,
            **more,
        }
        self._folder = folder
        self.editor = httpx.Client(base_url=self.address, timeout=SECONDS, follow_redirects=True)

    def __enter__(self) -> Self:
        self.manage("migrate", "-v0")
        self._shell = self._start("-c", _SHELL, stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True)
        assert self._answer() == "ready"
        self.prepare()
        log = (self._folder / "server.log").open("wb")
        listen = f"--listen=127.0.0.1:{self.port}"
        self._server = self._start("-m", "waitress", listen, "town.wsgi:application", stdout=log, stderr=log)
        seconds_until(self._is_up, SECONDS)
        self.post(LOGIN, username="editor", password="secret", next="/admin/")
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        for process in (self._server, self._shell):
            process.kill()
            process.communicate()

    def prepare(self) -> None:
        """Give the site its address, before its server starts."""
        raise NotImplementedError

    def manage(self, *arguments: str, **environment: str) -> "subprocess.CompletedProcess[str]":
        """Run a command of Django; what it printed."""
        return subprocess.run(
            [PYTHON, "manage.py", *arguments],
            cwd=self.demo,
            env=self.environment | environment,
            capture_output=True,
            text=True,
            timeout=SECONDS,
            check=False,
        )

    def shell(self, code: str) -> Any:
        """Run code in the shell; what it left as ``result``."""
        assert self._shell.stdin is not None
        self._shell.stdin.write(json.dumps(code) + "\n")
        self._shell.stdin.flush()
        return self._answer()

    def post(self, path: str, **fields: Any) -> httpx.Response:
        """Send a form of the editor's."""
        token = self.editor.cookies["csrftoken"]
        answer = self.editor.post(path, data={"csrfmiddlewaretoken": token, **fields})
        assert answer.status_code == 200, answer.text[:2_000]
        return answer

    def visitor(self, name: str) -> httpx.Client:
        """A browser in which somebody else is logged in, whose password is ``secret``."""
        client = httpx.Client(base_url=self.address, timeout=SECONDS, follow_redirects=True)
        client.get(LOGIN)
        fields = {
            "csrfmiddlewaretoken": client.cookies["csrftoken"],
            "username": name,
            "password": "secret",
            "next": "/admin/",
        }
        assert client.post(LOGIN, data=fields).status_code == 200
        return client

    def sent(self) -> bool:
        """Whether nothing waits."""
        return not self.shell("result = queue.waiting().count()")

    def tried(self) -> bool:
        """Whether sending was tried in vain."""
        return bool(self.shell("result = queue.waiting().exclude(problem='').exists()"))

    def a_day_passes(self) -> None:
        """Set the times of what waits back."""
        self.shell(
            "day = timedelta(days=1)\n"
            "for e in queue.waiting():\n"
            "    queue.waiting().filter(pk=e.pk).update(waiting_since=e.waiting_since - day, due=e.due - day)"
        )

    def _answer(self) -> Any:
        assert self._shell.stdout is not None
        line = self._shell.stdout.readline()
        assert line, "the shell ended: its traceback is above"
        return json.loads(line)

    def _start(self, *arguments: str, **options: Any) -> "subprocess.Popen[Any]":
        return subprocess.Popen([PYTHON, *arguments], cwd=self.demo, env=self.environment, **options)

    def _is_up(self) -> bool:
        try:
            return self.editor.get(LOGIN).status_code == 200
        except httpx.TransportError:
            return False

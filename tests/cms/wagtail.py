"""A real Wagtail site on loopback: the demo site of the app, in an environment of its own."""

import json
import os
import re
import subprocess
from pathlib import Path
from types import TracebackType
from typing import Any, Final, Self

import httpx

from tests.cms.service import seconds_until

ROOT: Final = Path(__file__).parents[2]
PYTHON: Final = ROOT / ".venv" / "cms" / "bin" / "python"
SITE: Final = ROOT / "integrations" / "wagtail" / "demo"
SECONDS: Final = 60.0
_TOKEN: Final = re.compile(r'name="csrfmiddlewaretoken" value="(\w+)"')
_SHELL: Final = """
import json, sys, django
django.setup()
from town.models import *
from wagtail.models import *
from auskunft_wagtail import client, config, models, pages, queue, sender
from datetime import timedelta
names = dict(globals())
print(json.dumps("ready"), flush=True)
for line in sys.stdin:
    names["result"] = None
    exec(json.loads(line), names)
    print(json.dumps(names["result"]), flush=True)
"""


class Wagtail:
    """The site's server, a shell of Django as administrators use it, and an editor who is logged in."""

    def __init__(self, folder: Path, port: int, auskunft: str, secret: str) -> None:
        self.address = f"http://127.0.0.1:{port}"
        self.environment = {
            "PATH": os.environ["PATH"],
            "PYTHONPATH": str(SITE.parent),
            "PYTHONDONTWRITEBYTECODE": "1",
            "DJANGO_SETTINGS_MODULE": "town.settings",
            "TOWN_DATA": str(folder),
            "CHAT_URL": auskunft,
            "CHAT_SECRET": secret,
        }
        self._port = port
        self._folder = folder
        self.editor = httpx.Client(base_url=self.address, timeout=SECONDS, follow_redirects=True)

    def __enter__(self) -> Self:
        self.manage("migrate", "-v0")
        self._shell = self._start("-c", _SHELL, stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True)
        assert self._answer() == "ready"
        self.shell(
            "from django.contrib.auth import get_user_model\n"
            "get_user_model().objects.create_superuser('editor', 'editor@town.example', 'secret')\n"
            f"Site.objects.update(hostname='127.0.0.1', port={self._port})\n"
            "Site.clear_site_root_paths_cache()"
        )
        log = (self._folder / "server.log").open("wb")
        self._server = self._start(
            "-m",
            "waitress",
            f"--listen=127.0.0.1:{self._port}",
            "town.wsgi:application",
            stdout=log,
            stderr=log,
        )
        self._login()
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        for process in (self._server, self._shell):
            process.kill()
            process.communicate()

    def manage(self, *arguments: str, **environment: str) -> "subprocess.CompletedProcess[str]":
        """Run a command of Django; what it printed."""
        return subprocess.run(
            [PYTHON, "manage.py", *arguments],
            cwd=SITE,
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
        """Send a form of the editor's, with the token of the page that shows it."""
        token = _TOKEN.search(self.editor.get(path).text)
        assert token, path
        answer = self.editor.post(path, data={"csrfmiddlewaretoken": token[1], **fields})
        assert answer.status_code == 200, answer.text[:2_000]
        return answer

    def visitor(self, name: str) -> httpx.Client:
        """A browser in which somebody else is logged in, whose password is ``secret``."""
        client = httpx.Client(base_url=self.address, timeout=SECONDS, follow_redirects=True)
        token = _TOKEN.search(client.get("/admin/login/").text)
        assert token
        fields = {"csrfmiddlewaretoken": token[1], "username": name, "password": "secret"}
        assert client.post("/admin/login/", data=fields).status_code == 200
        return client

    def _answer(self) -> Any:
        assert self._shell.stdout is not None
        line = self._shell.stdout.readline()
        assert line, "the shell ended: its traceback is above"
        return json.loads(line)

    def _start(self, *arguments: str, **options: Any) -> "subprocess.Popen[Any]":
        return subprocess.Popen([PYTHON, *arguments], cwd=SITE, env=self.environment, **options)

    def _login(self) -> None:
        seconds_until(self._is_up, SECONDS)
        self.post("/admin/login/", username="editor", password="secret")

    def _is_up(self) -> bool:
        try:
            return self.editor.get("/admin/login/").status_code == 200
        except httpx.TransportError:
            return False

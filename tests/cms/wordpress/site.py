"""A real WordPress on MariaDB and PHP's own server, driven as editors and administrators do."""

import json
import os
import re
import shutil
import subprocess
import tempfile
import time
from pathlib import Path
from typing import Any, Final

import httpx

from tests.services import MissingServiceError
from tests.services.mariadb import DATABASE, MariaDb
from tests.services.ports import free_port
from tests.services.process import ServerProcess, give_away, unprivileged

DEBIAN: Final = Path("/usr/share/wordpress")
PLUGIN: Final = Path(__file__).parents[3] / "integrations" / "wordpress" / "auskunft"
START_SECONDS: Final = 30.0
POLL_SECONDS: Final = 0.05
CONFIG: Final = """<?php
define('DB_NAME', '%(database)s'); define('DB_USER', 'cms'); define('DB_PASSWORD', '');
define('DB_HOST', 'localhost:%(socket)s'); define('DB_CHARSET', 'utf8mb4'); define('DB_COLLATE', '');
define('WP_HOME', '%(url)s'); define('WP_SITEURL', '%(url)s');
define('WP_ENVIRONMENT_TYPE', 'local'); define('DISABLE_WP_CRON', true); define('WP_DEBUG', true);
define('WP_DEBUG_DISPLAY', false); define('WP_DEBUG_LOG', '%(log)s');
define('WP_HTTP_BLOCK_EXTERNAL', true); define('WP_ACCESSIBLE_HOSTS', '127.0.0.1');
foreach (['AUTH', 'SECURE_AUTH', 'LOGGED_IN', 'NONCE'] as $name) {
    define($name . '_KEY', "key $name"); define($name . '_SALT', "salt $name");
}
$table_prefix = 'wp_';
if (!defined('ABSPATH')) { define('ABSPATH', __DIR__ . '/'); }
require_once ABSPATH . 'wp-settings.php';
"""
THEME: Final = """<?php
wp_head();
while (have_posts()) { the_post(); the_content(); }
wp_footer();
"""
INSTALL: Final = """
define('WP_INSTALLING', true);
require 'wp-load.php';
require ABSPATH . 'wp-admin/includes/upgrade.php';
add_filter('pre_wp_mail', '__return_true');
wp_install('Otterfurt', 'editor', 'editor@town.example', true, '', 'password');
switch_theme('plain');
update_option('permalink_structure', '/%postname%/');
"""
ACTIVATE: Final = """
require ABSPATH . 'wp-admin/includes/plugin.php';
$failed = activate_plugin('auskunft/auskunft.php');
if (is_wp_error($failed)) { throw new Exception($failed->get_error_message()); }
[$password] = WP_Application_Passwords::create_new_application_password(1, ['name' => 'tests']);
$GLOBALS['wp_rewrite']->init(); $GLOBALS['wp_rewrite']->flush_rules();
return $password;
"""


class WordPress:
    """An installation with the plug-in; everything ends with ``stop``."""

    def __init__(self, database: MariaDb) -> None:
        if not (DEBIAN / "wp-load.php").exists():
            raise MissingServiceError("WordPress is not installed: apt-get install wordpress")
        if shutil.which("php") is None:
            raise MissingServiceError("PHP is not installed: apt-get install php-cli php-mysql")
        self.database = database
        self.url = f"http://127.0.0.1:{free_port()}"
        self.folder = Path(tempfile.mkdtemp(prefix="auskunft-wordpress-"))
        self.log = self.folder / "debug.log"
        self._root = self.folder / "wordpress"
        self._process: ServerProcess | None = None
        self._rest: httpx.Client | None = None

    def start(self) -> None:
        """Install WordPress, activate the plug-in, serve."""
        self.folder.chmod(0o755)
        give_away(self.folder)
        shutil.copytree(DEBIAN, self._root, symlinks=True, ignore=shutil.ignore_patterns("akismet"))
        shutil.rmtree(self._root / "wp-content" / "plugins" / "auskunft", ignore_errors=True)
        shutil.copytree(PLUGIN, self._root / "wp-content" / "plugins" / "auskunft")
        theme = self._root / "wp-content" / "themes" / "plain"
        theme.mkdir(parents=True, exist_ok=True)
        (theme / "style.css").write_text("/* Theme Name: Plain */", "utf-8")
        (theme / "index.php").write_text(THEME, "utf-8")
        values = {
            "database": DATABASE,
            "socket": self.database.socket,
            "url": self.url,
            "log": self.log,
        }
        (self._root / "wp-config.php").unlink()
        (self._root / "wp-config.php").write_text(CONFIG % values, "utf-8")
        self._php(INSTALL)
        password = self.php(ACTIVATE)
        self._serve()
        self._rest = httpx.Client(
            base_url=f"{self.url}/wp-json/wp/v2/", auth=("editor", password), timeout=START_SECONDS
        )

    def stop(self) -> None:
        """End the server and remove the installation."""
        if self._rest:
            self._rest.close()
        if self._process:
            self._process.kill()
        shutil.rmtree(self.folder, ignore_errors=True)

    def php(self, code: str) -> Any:
        """Run code within WordPress, as its command line does; what it returns."""
        marked = f'echo "\\n@@" . json_encode((function () {{ {code} }})());'
        return json.loads(self._php(f"require 'wp-load.php'; {marked}").rpartition("@@")[2] or "null")

    def configure(self, **settings: Any) -> None:
        """Save settings as their page does, on top of what they are."""
        given = json.dumps(settings)
        self.php(f"update_option('auskunft', json_decode('{given}', true) + get_option('auskunft', []));")

    def save(self, kind: str = "pages", number: int | None = None, **fields: Any) -> dict[str, Any]:
        """Create or change an entry over the REST API, as WordPress' editor does."""
        assert self._rest is not None
        path = kind if number is None else f"{kind}/{number}"
        response = self._rest.post(path, json={"status": "publish", **fields} if number is None else fields)
        assert response.status_code in (200, 201), response.text
        saved: dict[str, Any] = response.json()
        return saved

    def delete(self, number: int, *, kind: str = "pages", force: bool = False) -> None:
        """Put an entry into the bin, or delete it for good."""
        assert self._rest is not None
        response = self._rest.delete(f"{kind}/{number}", params={"force": str(force).lower()})
        assert response.status_code == 200, response.text

    def cron(self) -> None:
        """Run what is due, as a visit does."""
        assert httpx.get(f"{self.url}/wp-cron.php", timeout=START_SECONDS).status_code == 200

    def waiting(self) -> int:
        """How many entries wait to be sent."""
        return int(self.php("return (int) Auskunft\\Queue::counts()['waiting'];"))

    def complaints(self) -> list[str]:
        """What PHP said about the plug-in's code."""
        text = self.log.read_text("utf-8") if self.log.exists() else ""
        return [line for line in text.splitlines() if re.search(r"plugins/auskunft", line)]

    def _php(self, code: str) -> str:
        done = subprocess.run(
            ["php", "-d", "error_reporting=E_ALL & ~E_DEPRECATED", "-r", code],
            cwd=self._root,
            env={"PATH": os.environ["PATH"]},
            capture_output=True,
            text=True,
            check=False,
            **unprivileged(),
        )
        assert done.returncode == 0, done.stdout[-2000:] + done.stderr[-2000:]
        return str(done.stdout)

    def _serve(self) -> None:
        address = self.url.removeprefix("http://")
        with (self.folder / "output.log").open("ab") as output:
            self._process = ServerProcess(
                [shutil.which("php") or "", "-S", address, "-t", self._root],
                folder=self._root,
                env={"PATH": os.environ["PATH"], "PHP_CLI_SERVER_WORKERS": "4"},
                output=output,
            )
        deadline = time.monotonic() + START_SECONDS
        while True:
            try:
                httpx.get(f"{self.url}/license.txt", timeout=START_SECONDS)
                return
            except httpx.TransportError:
                assert time.monotonic() < deadline, "PHP's server did not start"
                time.sleep(POLL_SECONDS)

"""The extensions for Drupal and TYPO3, run by PHP over stand-ins of exactly the interfaces that they use."""

import json
import os
import shutil
import subprocess
import time
from pathlib import Path
from typing import Any, Final, Protocol

import httpx

from tests.services import MissingServiceError
from tests.services.ports import free_port

STANDINS: Final = Path(__file__).parent / "php"
SECONDS: Final = 60.0
POLL_SECONDS: Final = 0.05


class Extension(Protocol):
    """What an editor and an administrator do in a content management system."""

    address: str

    def configure(self, url: str, source: str, secret: str) -> None:
        """Say where to send."""

    def save(self, number: int | None, title: str, text: str, slug: str) -> int:
        """Create or change a page in English; its number."""

    def rename(self, number: int, slug: str) -> None:
        """Give a page another address, and nothing else."""

    def publish(self, number: int, *, published: bool) -> None:
        """Take a page offline, or online again."""

    def protect(self, number: int, *, protected: bool) -> None:
        """Let only some visitors see a page, or all of them again."""

    def delete(self, number: int) -> None:
        """Delete a page."""

    def translate(self, number: int, title: str, text: str) -> None:
        """Add the German page."""

    def untranslate(self, number: int) -> None:
        """Delete the German page."""

    def send(self) -> None:
        """Run what cron or the scheduler runs."""

    def hurry(self) -> None:
        """Let the pause after a failure be over."""

    def send_all(self) -> None:
        """Note all pages."""

    def events(self, number: int) -> list[dict[str, Any]]:
        """What would be sent of a page now."""

    def post(self, events: list[dict[str, Any]]) -> str:
        """Send events; what was wrong, or an empty text."""

    def ask(self, title: str, text: str, question: str = "") -> str:
        """What editors are told of a page that nobody sees yet, or of its answer to a question, as JSON."""

    def status(self) -> dict[str, Any]:
        """``waiting``, ``refused``, ``error``, ``sent_at``."""


class _Php:
    """Runs code in a file of stand-ins, over data in a folder."""

    def __init__(self, name: str, folder: Path) -> None:
        if not {"curl", "pdo_sqlite"} <= _modules():
            raise MissingServiceError("PHP is not installed: apt-get install php-cli php-curl php-sqlite3")
        self._file = STANDINS / f"{name}.php"
        self._folder = folder

    def run(self, code: str) -> Any:
        """Run code; what it returns."""
        command = ["php", "-d", "zend.assertions=1", str(self._file), str(self._folder), code]
        done = subprocess.run(command, capture_output=True, text=True, timeout=SECONDS, check=False)
        assert done.returncode == 0, done.stdout[-2_000:] + done.stderr[-2_000:]
        return json.loads(done.stdout)


def _modules() -> set[str]:
    """What this machine's PHP can do; nothing if there is none."""
    if shutil.which("php") is None:
        return set()
    return set(subprocess.run(["php", "-m"], capture_output=True, text=True, check=True).stdout.split())


def _quoted(value: Any) -> str:
    """A value as PHP code."""
    text = json.dumps(value).replace("\\", "\\\\").replace("'", "\\'")
    return f"json_decode('{text}', true)"


def _text(value: str) -> str:
    """A text as PHP code."""
    return f"{_quoted([value])}[0]"


class Drupal:
    """The module, with nodes in English and German."""

    address = "http://town.example"

    def __init__(self, folder: Path) -> None:
        self._php = _Php("drupal", folder)

    def close(self) -> None:
        """Nothing runs."""

    def configure(self, url: str, source: str, secret: str) -> None:
        """Write the settings."""
        given = {"url": url, "source": source, "secret": secret, "website": self.address, "types": ["node"]}
        self._php.run(f"$site->set('settings', {_quoted(given)});")

    def save(self, number: int | None, title: str, text: str, slug: str) -> int:
        """Save a node."""
        known = self._texts(number) if number else {"en": {}}
        fields = {"title": title, "html": f"<p>{text}</p>", "alias": f"/{slug}"}
        return self._write(number, known | {"en": known["en"] | fields})

    def rename(self, number: int, slug: str) -> None:
        """Save an alias, of which the node hears nothing."""
        self._php.run(f"$site->rename({number}, '/{slug}');")

    def publish(self, number: int, *, published: bool) -> None:
        """Change the status of all translations."""
        self._change(number, published=published)

    def protect(self, number: int, *, protected: bool) -> None:
        """Change what access says to visitors."""
        self._change(number, private=protected)

    def delete(self, number: int) -> None:
        """Delete a node."""
        self._php.run(f"$site->delete({number});")

    def translate(self, number: int, title: str, text: str) -> None:
        """Add a translation."""
        texts = self._texts(number)
        self._write(number, texts | {"de": {"title": title, "html": f"<p>{text}</p>"}})

    def untranslate(self, number: int) -> None:
        """Remove the translation."""
        texts = self._texts(number)
        self._write(number, {"en": texts["en"]})

    def send(self) -> None:
        """Run cron."""
        self._php.run("$site->cron();")

    def hurry(self) -> None:
        """Press the button."""
        self._php.run("Drupal::service('auskunft.connection')->tryAgain();")

    def send_all(self) -> None:
        """Press the other button."""
        self._php.run("Drupal::service('auskunft.changes')->noteAll();")

    def events(self, number: int) -> list[dict[str, Any]]:
        """Ask the module."""
        found: list[dict[str, Any]] = self._php.run(
            f"return Drupal::service('auskunft.pages')->events('node', '{number}');"
        )
        return found

    def post(self, events: list[dict[str, Any]]) -> str:
        """Send them by the module."""
        said: str = self._php.run(
            f"try {{ Drupal::service('auskunft.connection')->send({_quoted(events)}); return ''; }}"
            "catch (RuntimeException $error) { return $error->getMessage(); }"
        )
        return said

    def break_pages(self, count: int) -> None:
        """Save so many pages while none can be shown, and run cron."""
        save = "$site->save(NULL, 'en', ['en' => ['title' => 'Broken', 'html' => '']])"
        self._php.run(
            f"$site->set('broken', true); for ($n = 0; $n < {count}; $n++) {{ {save}; }}"
            "$site->cron(); $site->set('broken', false);"
        )

    def wait(self) -> None:
        """Let the next try of all pages have come."""
        self._php.run(
            "$site->set('auskunft.again', array_map(fn () => 1, $site->value('auskunft.again', [])));"
        )

    def forget_refused(self) -> None:
        """Begin anew."""
        self._php.run("$site->set('auskunft.refused', []); $site->set('auskunft.again', []);")

    def events_in_workspace(self, number: int, title: str) -> list[dict[str, Any]]:
        """Ask the module in an editor's workspace, in which the node has another title."""
        draft = _quoted({str(number): {"en": {"title": title, "html": f"<p>{title}</p>"}}})
        found: list[dict[str, Any]] = self._php.run(
            f"$site->workspace = {draft};"
            f"$events = Drupal::service('auskunft.pages')->events('node', '{number}');"
            "assert($site->workspace !== NULL); return $events;"
        )
        return found

    def ask(
        self, title: str, text: str, question: str = "", *, number: int | None = None, more: str = ""
    ) -> str:
        """Press the button in the form of a page, a new one without its ``number``; what it shows."""
        typed = _quoted({"en": {"title": title, "html": f"<p>{text}</p>"}})
        node = f"new Stub\\Node({number or 'NULL'}, 'en', "
        shown = self._php.run(
            f"$state = new Stub\\Form({node}[]), {node}{typed}), {_text(question)}{more}); $form = [];"
            "auskunft_form_alter($form, $state); return isset($form['auskunft_draft'])"
            " ? _auskunft_ask_draft($form, $state) : 'nothing';"
        )
        return json.dumps(shown, ensure_ascii=False)

    def status(self) -> dict[str, Any]:
        """What the form shows."""
        found: dict[str, Any] = self._php.run(
            "return ['waiting' => (new Stub\\Queue($site->database))->numberOfItems(),"
            " 'refused' => array_values(Drupal::service('auskunft.sender')->refused())]"
            " + Drupal::service('auskunft.connection')->state();"
        )
        return found

    def _texts(self, number: int) -> dict[str, Any]:
        found: dict[str, Any] = self._php.run(f"return $site->loadUnchanged({number})->texts;")
        return found

    def _change(self, number: int, **fields: bool) -> None:
        self._write(number, {code: text | fields for code, text in self._texts(number).items()})

    def _write(self, number: int | None, texts: dict[str, Any]) -> int:
        code = f"return $site->save({number or 'NULL'}, 'en', {_quoted(texts)});"
        saved: int = self._php.run(code)
        return saved


class Typo3:
    """The extension, with a website that shows pages in English and German."""

    def __init__(self, folder: Path) -> None:
        self._php = _Php("typo3", folder)
        port = free_port()
        self.address = f"http://127.0.0.1:{port}"
        self._php.run(f"Stub\\Database::set('base', '{self.address}');")
        command = ["php", "-S", f"127.0.0.1:{port}", str(STANDINS / "typo3.php")]
        self._server = subprocess.Popen(
            command,
            env={"PATH": os.environ["PATH"], "FOLDER": str(folder)},
            stdout=subprocess.DEVNULL,
            stderr=subprocess.DEVNULL,
        )
        deadline = time.monotonic() + SECONDS
        while not self._is_up():
            assert time.monotonic() < deadline, "PHP's server did not start"
            time.sleep(POLL_SECONDS)

    def close(self) -> None:
        """End the website."""
        self._server.kill()
        self._server.wait()

    def configure(self, url: str, source: str, secret: str) -> None:
        """Write the extension's configuration."""
        given = {"url": url, "source": source, "secret": secret}
        self._php.run(f"Stub\\Database::set('settings', {_quoted(given)});")

    def save(self, number: int | None, title: str, text: str, slug: str) -> int:
        """Save a page and its element."""
        page = {"title": title, "slug": f"/{slug}"}
        code = f"$page = $editor->save('pages', {number or repr('NEW1')}, {_quoted(page)});"
        if number is None:
            code += f"$editor->save('tt_content', 'NEW2', ['pid' => $page, 'bodytext' => {_quoted(text)}]);"
        else:
            element = (
                f"Stub\\Database::rows('SELECT uid FROM tt_content WHERE pid = ?', [{number}])[0]['uid']"
            )
            code += f"$editor->save('tt_content', (int) {element}, ['bodytext' => {_quoted(text)}]);"
        saved: int = self._php.run(f"{code} return $page;")
        return saved

    def rename(self, number: int, slug: str) -> None:
        """Change a page's slug."""
        self._php.run(f"$editor->save('pages', {number}, ['slug' => '/{slug}']);")

    def publish(self, number: int, *, published: bool) -> None:
        """Hide a page, or show it."""
        self._php.run(f"$editor->save('pages', {number}, ['hidden' => {int(not published)}]);")

    def protect(self, number: int, *, protected: bool) -> None:
        """Show a page to whoever is logged in, or to all."""
        self._php.run(
            f"$editor->save('pages', {number}, ['fe_group' => {_quoted('-2' if protected else '')}]);"
        )

    def delete(self, number: int) -> None:
        """Delete a page with all below, of which the hooks hear nothing."""
        sql = f"UPDATE pages SET deleted = 1 WHERE uid = {number} OR pid = {number}"
        self._command("delete", number, "1", f"fn () => Stub\\Database::rows('{sql}')")

    def undelete(self, number: int) -> None:
        """Restore a page."""
        sql = f"UPDATE pages SET deleted = 0 WHERE uid = {number}"
        self._command("undelete", number, "1", f"fn () => Stub\\Database::rows('{sql}')")

    def move_elements(self, number: int, target: int, command: str = "move") -> None:
        """Put a page's element on another page."""
        element = f"Stub\\Database::rows('SELECT uid FROM tt_content WHERE pid = {number}')[0]['uid']"
        do = f"fn () => Stub\\Database::rows('UPDATE tt_content SET pid = {target} WHERE pid = {number}')"
        self._php.run(f"$editor->command('{command}', 'tt_content', {element}, {target}, {do});")

    def move(self, number: int, parent: int, slug: str) -> None:
        """Put a page below another one."""
        sql = f'UPDATE pages SET pid = {parent}, slug = "/{slug}" WHERE uid = {number}'
        self._command("move", number, str(parent), f"fn () => Stub\\Database::rows('{sql}')")

    def translate(self, number: int, title: str, text: str) -> None:
        """Localize a page and put an element on it."""
        page = f"['l10n_parent' => {number}, 'sys_language_uid' => 1, 'slug' => '/deutsch-{number}'"
        page += f", 'title' => {_quoted(title)}]"
        element = f"['pid' => {number}, 'sys_language_uid' => 1, 'bodytext' => {_quoted(text)}]"
        done = f"$it->save('pages', 'NEW1', {page}); $it->save('tt_content', 'NEW2', {element});"
        self._command("localize", number, "1", f"function ($it) {{ {done} }}")

    def untranslate(self, number: int) -> None:
        """Delete the German page, which has an id of its own."""
        german = self._php.run(
            f"return Stub\\Database::rows('SELECT uid FROM pages WHERE l10n_parent = {number}')[0]['uid'];"
        )
        self.delete(german)

    def clock(self, number: int, field: str, seconds: int) -> None:
        """Let a page begin or end at a time that is so many seconds away."""
        self._php.run(f"$editor->save('pages', {number}, ['{field}' => time() + {seconds}]);")

    def wait(self, number: int) -> None:
        """Let a page's next change of the clock have come."""
        self._php.run(
            f"Stub\\Database::rows('UPDATE pages SET starttime = 0 WHERE uid = {number}');"
            f"Stub\\Database::rows('UPDATE tx_auskunft_page SET due = 1 WHERE due > 0 AND page = {number}');"
        )

    def break_page(self, slug: str, status: int, target: str = "") -> None:
        """Let the website answer something else at a page's address."""
        self._php.run(f"Stub\\Database::set('broken', {_quoted({f'/{slug}': [status, target]})});")

    def mend_website(self) -> None:
        """Let the website work again."""
        self._php.run("Stub\\Database::set('broken', []);")

    def first_page(self, number: int) -> None:
        """Let a page be the site's first one."""
        self._php.run(f"Stub\\Database::set('root', {number});")

    def send(self) -> None:
        """Run the command of the scheduler, long enough after the last change."""
        sql = "UPDATE tx_auskunft_page SET changed = changed - 10000 WHERE changed > sent AND changed > ?"
        self._php.run(f"Stub\\Database::rows('{sql}', [(int) (microtime(true) * 1000) - 10000]);")
        self.send_now()

    def send_now(self) -> None:
        """Run the command of the scheduler."""
        self.run("SendCommand")

    def run(self, name: str, *options: str) -> tuple[int, str]:
        """Run a command; its exit code and output."""
        given = "".join(f", '{option}'" for option in options)
        code, text = self._php.run(f"return $run('{name}'{given});")
        return code, text

    def hurry(self) -> None:
        """Forget the pause."""
        self._php.run("$get('State')->tryAgain();")

    def send_all(self) -> None:
        """Run the command."""
        assert self.run("SendAllCommand")[0] == 0

    def events(self, number: int) -> list[dict[str, Any]]:
        """Ask the extension."""
        found: list[dict[str, Any]] = self._php.run(
            f"$row = Stub\\Database::rows('SELECT * FROM tx_auskunft_page WHERE page = {number}')[0];"
            "return $get('Pages')->events($row);"
        )
        return found

    def post(self, events: list[dict[str, Any]]) -> str:
        """Send them by the extension."""
        said: str = self._php.run(
            f"try {{ $get('Client')->send({_quoted(events)}); return ''; }}"
            "catch (RuntimeException $error) { return $error->getMessage(); }"
        )
        return said

    def ask(self, title: str, text: str, question: str = "") -> str:
        """Save a hidden page and its element, and ask it; what Auskunft says."""
        page = {"title": title, "slug": "/hidden", "hidden": 1}
        shown = self._php.run(
            f"$page = $editor->save('pages', 'NEW1', {_quoted(page)});"
            f"$editor->save('tt_content', 'NEW2', ['pid' => $page, 'bodytext' => {_text(text)}]);"
            f"try {{ $said = $get('Drafts')->ask($page, 0, {_text(question)}); }}"
            "catch (Auskunft\\Typo3\\Refused $error) { $said = $error->getMessage(); } return [$page, $said];"
        )
        self.delete(shown[0])
        return json.dumps(shown[1], ensure_ascii=False)

    def ask_in_workspace(self, number: int, text: str) -> str:
        """Ask a page whose element has another text in the editor's workspace; what Auskunft says."""
        element = f"Stub\\Database::rows('SELECT uid FROM tt_content WHERE pid = {number}')[0]['uid']"
        shown = self._php.run(
            f"$editor->save('tt_content', 'NEW1', ['pid' => -1, 't3ver_wsid' => 7, 't3ver_oid' => {element},"
            f" 'bodytext' => {_text(text)}]); $GLOBALS['BE_USER'] = (object)['workspace' => 7];"
            f"return $get('Drafts')->ask({number}, 0, '');"
        )
        return json.dumps(shown, ensure_ascii=False)

    def status(self) -> dict[str, Any]:
        """What the command tells."""
        found: dict[str, Any] = self._php.run(
            "return ['waiting' => $get('Queue')->counts()['waiting'],"
            " 'refused' => array_values($get('Queue')->refused(9))] + $get('State')->get();"
        )
        return found

    def _command(self, command: str, number: int, value: str, do: str) -> None:
        self._php.run(f"$editor->command('{command}', 'pages', {number}, {value}, {do});")

    def _is_up(self) -> bool:
        try:
            return httpx.get(f"{self.address}/none", timeout=SECONDS).status_code == 404
        except httpx.TransportError:
            return False

"""The services that all others use, such as settings, data folder, database and this process's worker
name."""

from __future__ import annotations

import fcntl
import threading
from collections.abc import Iterable, Iterator, Sequence
from contextlib import ExitStack, contextmanager
from pathlib import Path
from pkgutil import resolve_name
from typing import Any, Final

from sqlalchemy import URL, Engine

from app.accounts.desk import UserDesk
from app.accounts.sessions import Sessions
from app.accounts.users import Users
from app.errors import DataFolderError
from app.feature import Feature
from app.lazy import lazy
from app.pages.audit import AuditLog
from app.pages.builds import Builds
from app.pages.claims import HeldTable
from app.pages.database import open_engine, sqlite_url, utc_now
from app.pages.deliveries import Deliveries
from app.pages.page_list import PageList
from app.pages.site_texts import SiteTextStore
from app.pages.store import PageStore
from app.pages.workers import WorkerRegistry
from app.pages.writability import DiskCheck
from app.presets import Preset
from app.presets.collection import Presets
from app.search.fields import FieldTypes
from app.settings.settings import Settings


class CoreServices:
    """Builds each service once, on first use; ``opened`` closes them, the last built first."""

    def __init__(self, settings: Settings, features: Sequence[Feature]) -> None:
        self.settings = settings
        self.features: Final = tuple(features)
        self.lock = threading.RLock()
        self.opened = ExitStack()

    @lazy
    def data(self) -> Path:
        """The data folder, made if needed. Raises ``DataFolderError``."""
        folder = self.settings.data
        try:
            folder.mkdir(parents=True, exist_ok=True)
        except OSError as error:
            reason = f"{error.strerror}: choose another one with AUSKUNFT_DATA"
            raise DataFolderError(f"data folder {folder} cannot be created: {reason}") from error
        return folder

    @lazy
    def fields(self) -> FieldTypes:
        """The fields by which searches can be filtered, in the order of the settings."""
        return {name: field.type for name, field in self.settings.fields.items()}

    @lazy
    def presets(self) -> Presets:
        """The presets of the package and of the settings' folder. Raises ``SettingsError``."""
        return Presets(self.settings.presets)

    @lazy
    def preset(self) -> Preset:
        """The installation's preset."""
        return self.presets.load(self.settings.preset).with_thresholds(self.settings.thresholds)

    @property
    def database(self) -> str | URL:
        """The page store's database: on the settings' server, otherwise in the data folder."""
        return self.settings.database_url.get_secret_value() or sqlite_url(self.data / "pages.sqlite")

    @lazy
    def engine(self) -> Engine:
        """The database's engine. Raises ``DataFolderError`` and ``PageStoreUnavailableError``."""
        engine = open_engine(self.database)
        self.opened.callback(engine.dispose)
        return engine

    @lazy
    def store(self) -> PageStore:
        """The page store. Raises as :attr:`engine` does."""
        return PageStore(self.engine, lease_seconds=self.settings.lease_seconds, held=self._held_tables)

    def of_first_feature(self, names: Iterable[str]) -> Any:
        """Call the functions with these names with the services, and return the first result that is not
        None, or None."""
        made = (resolve_name(name)(self) for name in names if name)
        return next((each for each in made if each is not None), None)

    def _held_tables(self) -> list[HeldTable]:
        """The features' tables whose rows workers hold."""
        return [resolve_name(name) for feature in self.features for name in feature.claims]

    @lazy
    def page_list(self) -> PageList:
        """Lists of pages for people."""
        return PageList(self.engine)

    @lazy
    def deliveries(self) -> Deliveries:
        """The messages of a CMS, and their jobs."""
        return Deliveries(self.engine)

    @lazy
    def builds(self) -> Builds:
        """The lease to build generations of the index."""
        return Builds(self.engine, utc_now, lease_seconds=self.settings.lease_seconds)

    @lazy
    def users(self) -> Users:
        """The people who use the console."""
        return Users(self.engine)

    @lazy
    def sessions(self) -> Sessions:
        """The sessions of people who are logged in to the console."""
        return Sessions(self.engine)

    @lazy
    def audit_log(self) -> AuditLog:
        """The log of people's changes."""
        return AuditLog(self.engine)

    @lazy
    def site_texts(self) -> SiteTextStore:
        """The texts of sites that admins changed."""
        return SiteTextStore(self.engine)

    @lazy
    def user_desk(self) -> UserDesk:
        """The management of users by admins."""
        return UserDesk(
            users=self.users,
            audit=self.audit_log,
            sources=lambda: {*self.store.sources(), *self.settings.sources},
        )

    @lazy
    def disk(self) -> DiskCheck:
        """The check that data folder and database are writable."""
        return DiskCheck(self.data, lambda: self.engine)

    @lazy
    def workers(self) -> WorkerRegistry:
        """The registry of this machine's processes that write, including this one."""
        workers = WorkerRegistry(self.data / "workers")
        self.opened.callback(workers.close)
        return workers

    def release_dead(self) -> None:
        """Release the claims of this machine's workers that died."""
        self.workers.release_dead(self.store.release)

    @property
    def rest_seconds(self) -> float:
        """Seconds that a background step rests after an error; 0 with a broker, because there a worker ends
        its task and is woken again."""
        return 0 if self.settings.broker_url else self.settings.retry_seconds

    @contextmanager
    def exclusively(self, name: str) -> Iterator[None]:
        """Lock the file ``name`` in the data folder, for one process of this machine at a time."""
        with (self.data / name).open("w") as file:
            fcntl.flock(file, fcntl.LOCK_EX)
            yield

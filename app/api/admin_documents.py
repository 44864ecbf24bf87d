"""The JSON documents of sources, users and the installation."""

from typing import Any, Self

from app.accounts.types import Role
from app.accounts.users import Account
from app.document import Document, Moment
from app.monitoring.source_states import SourceReport, SourceStateDocument
from app.pages.types import JobDocument, RejectionDocument
from app.search.types import Generation, GenerationState
from app.settings.origins import Origin


class SourcesDocument(Document):
    """The sources."""

    sources: list[SourceStateDocument]


class SourceReportDocument(SourceStateDocument):
    """A source with its last jobs. ``secrets``: their number."""

    secrets: int
    jobs: list[JobDocument]
    rejected: list[RejectionDocument]

    @classmethod
    def of(cls, report: SourceReport) -> Self:
        """Describe a source as editors see it."""
        return cls.from_objects(report.state, report)


class RehearsalDocument(Document):
    """A message that was tried out, not sent. ``secret``: the number of the secret that signed it.
    ``problem``: why it would be refused, empty if it would be accepted."""

    secret: int
    problem: str


class RehearsalsDocument(Document):
    """Messages that were tried out at an endpoint, one for each secret."""

    endpoint: str
    secrets: list[RehearsalDocument]


class UserDocument(Document):
    """A user of the console. ``sources``: ``None`` for all."""

    name: str
    role: Role
    sources: list[str] | None
    has_password: bool
    added_at: Moment

    @classmethod
    def of(cls, account: Account) -> Self:
        """Describe a user as admins see them."""
        visible = account.user.visible_sources
        sources = None if visible is None else sorted(visible)
        return cls.from_objects(account.user, account, sources=sources)


class UsersDocument(Document):
    """The users of the console."""

    users: list[UserDocument]


class UserLinkDocument(Document):
    """A user with a one-time link."""

    user: UserDocument
    link: str
    until: Moment


class SiteDocument(Document):
    """A site as the settings have it."""

    key: str
    name: str
    sources: list[str]
    origins: list[str]


class SitesDocument(Document):
    """The sites."""

    sites: list[SiteDocument]


class GenerationDocument(Document):
    """A generation of the search index."""

    number: int
    state: GenerationState
    embedder: str
    dims: int
    created: Moment

    @classmethod
    def of(cls, generation: Generation) -> Self:
        """Describe a generation."""
        recipe = generation.recipe
        return cls.from_objects(generation, recipe, embedder=recipe.embedder["name"])


class GenerationsDocument(Document):
    """The generations of the search index."""

    generations: list[GenerationDocument]


class SettingDocument(Document):
    """A setting in force."""

    name: str
    value: Any
    origin: Origin


class SettingsDocument(Document):
    """The settings in force."""

    settings: list[SettingDocument]


class ChangeDocument(Document):
    """A change that somebody made. ``before`` and ``after``: ``None`` if there was nothing."""

    number: int
    at: Moment
    actor: str
    action: str
    target: str
    before: dict[str, Any] | None
    after: dict[str, Any] | None


class ChangesDocument(Document):
    """Changes that people made."""

    changes: list[ChangeDocument]

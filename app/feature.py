"""Features: optional parts of the product, beyond taking in pages and answering questions.

A feature is a package with a :class:`Feature`, found by its entry point of the group ``auskunft.features``.
The core loops over what features add, and knows none by name. A string of the form ``module:name`` is
imported on first use, so that a command does not import web pages.
"""

import json
import sys
from collections.abc import Mapping
from dataclasses import dataclass, field
from functools import cache
from importlib.metadata import EntryPoint, entry_points
from importlib.resources import files
from operator import attrgetter
from typing import Any, Final, Literal, NamedTuple

from app.errors import PluginError

GROUP: Final = "auskunft.features"

Lane = Literal["models", "idle"]
MenuGroup = Literal["content", "running"]
CommandGroup = Literal["Start", "Pages", "Answers", "Quality", "Operations", "Other"]

MOST_LEASES: Final = 2.5
"""The longest that a step may run, in leases: after three the broker sends its task again."""


class Command(NamedTuple):
    """A command of ``auskunft``."""

    module: str
    """The module that has the command, under the command's name."""

    help: str
    """Its line in ``auskunft --help``."""

    group: CommandGroup = "Other"
    """Its heading there."""


class MenuEntry(NamedTuple):
    """A line of the console's menu."""

    endpoint: str
    text: str
    """The name of its text."""

    order: int
    """Its place: the lowest comes first."""

    group: MenuGroup = "content"
    """Its heading."""

    for_admins: bool = False
    """True to hide it from editors."""

    is_shown: str = ""
    """A function of the services that returns False while there is nothing to see; empty: always shown."""


class Box(NamedTuple):
    """A part that is added to a page of the console."""

    endpoint: str
    """The page that it is added to."""

    template: str
    """Its template, which gets the result of ``content`` as ``shown``."""

    content: str
    """A function of the page's subject."""


class Step(NamedTuple):
    """Background work that is repeated."""

    name: str
    """Its name in the log."""

    lane: Lane
    """``models`` for work that waits for other servers, ``idle`` for work while no page is due."""

    run: str
    """A function of the services and a stop. It does some work, and returns True if more may be left."""

    is_due: str
    """A function of the services: True if ``run`` is to be called."""

    lease_share: float = 0.8
    """The share of a lease after which a worker that still runs the step is killed."""


class PageLink(NamedTuple):
    """A link on the console's report of a page."""

    endpoint: str
    """Its target, whose address contains the page's source, language and id."""

    text: str
    """The name of its text."""


class AnswerStep(NamedTuple):
    """A step that is added to answers (:class:`app.chat.answer_steps.Step`)."""

    make: str
    """A function of the services and a site's options (:class:`app.chat.options.ChatOptions`) that returns
    the step, or None if the site does not use it."""

    before: str = ""
    after: str = ""
    """The name of the step that it comes before or after; one of the two is given."""


class StartPage(NamedTuple):
    """A page that ``/`` shows instead of the chat."""

    view: str
    """A function without arguments that returns the page."""

    text: str
    """The name of the text of links to it."""


class CounterFamily(NamedTuple):
    """A Prometheus counter whose values are in the page store."""

    name: str
    """Its name in the page store."""

    metric: str
    meaning: str
    labels: tuple[str, ...] = ()
    """The labels of its values there."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Feature:
    """A part of the product that a package adds (``docs/features.md``).

    Fields name functions as ``module:name``; the *services* are :class:`app.services.Services`.
    """

    package: str
    """The package's name.

    Its folder ``texts`` has texts for the console, ``texts/pages`` those of pages for visitors, and its
    ``examples.json`` examples of its operations for the API reference (:mod:`app.api.reference`).
    """

    blueprints: tuple[str, ...] = ()
    """Blueprints of the API and the console."""

    menu: tuple[MenuEntry, ...] = ()
    """Lines of the console's menu."""

    boxes: tuple[Box, ...] = ()
    """Parts that are added to other pages of the console."""

    page_links: tuple[PageLink, ...] = ()
    """Links on the console's report of a page."""

    commands: Mapping[str, Command] = field(default_factory=dict)
    """Commands of ``auskunft``, by name."""

    steps: tuple[Step, ...] = ()
    """Background work, in a server or by workers."""

    nightly: tuple[str, ...] = ()
    """Functions of the services and a stop that run once a night, after the index was reconciled."""

    expire: tuple[str, ...] = ()
    """Functions of the services that delete expired data once a night."""

    checks: Mapping[str, str] = field(default_factory=dict)
    """Functions of the services that return lines of ``/readyz`` and ``auskunft status``. The key names the
    line if its function raises."""

    counters: tuple[CounterFamily, ...] = ()
    """Prometheus counters whose values are in the page store."""

    collectors: tuple[str, ...] = ()
    """Functions of the services that yield metrics."""

    tables: str = ""
    """The module that describes its database tables."""

    claims: tuple[str, ...] = ()
    """Tables whose rows workers claim or lease (:class:`app.pages.claims.HeldTable`)."""

    answer_steps: tuple[AnswerStep, ...] = ()
    """Steps that are added to every answer."""

    enricher: str = ""
    """A function of the services that returns an addition to chunks
    (:class:`app.indexing.enrichment.ChunkEnricher`), or None if no preset wants it."""

    terms: str = ""
    """A function of the services that returns translations of words
    (:class:`app.search.translations.TermTable`), or None. The first feature's that returns some is used."""

    energy: str = ""
    """A function of the services that returns the energy of answers (:class:`app.chat.energy.AnswerEnergy`).
    The first feature's is used."""

    decisions: str = ""
    """A function of the services that returns editors' decisions about answers
    (:class:`app.chat.decisions.Decisions`). The first feature's is used."""

    grading: str = ""
    """A function of the services that returns how answers are graded later
    (:class:`app.chat.grading.Grading`), or None if they are not. The first feature's is used."""

    labels: Mapping[str, str] = field(default_factory=dict)
    """The names of the texts that label the fields of its forms, by field."""

    annotations: str = ""
    """A function of the services that returns a function, which returns the current annotations of law
    (:class:`app.law.annotations.UnitAnnotations`). The first feature's is used."""

    start_page: StartPage | None = None
    """The page that ``/`` shows instead of the chat. The first feature's is used."""

    offers: str = ""
    """A function of the services and a site's settings. It returns what the site's visitors are offered if an
    answer does not help (:class:`app.chat.offers.Offer`), or None."""

    start: str = ""
    """A function of the services, called when a server or worker starts, before it does any work."""

    warm_up: str = ""
    """A function of the services that a server runs while it already answers its first questions."""

    news: tuple[str, ...] = ()
    """Functions of the services, the letter's reader and a span of time that yield sections of the letter to
    editors (:mod:`app.accounts.news`)."""

    objections: tuple[str, ...] = ()
    """Functions of the services, a draft (:class:`app.search.types.IndexedPage`) and sources (None for all)
    that return how published pages of these contradict the draft (:class:`app.search.drafts.Objection`)."""

    large_bodies: tuple[str, ...] = ()
    """Prefixes of paths whose request bodies may be as long as events of a CMS."""


def merged_json(package: str, path: str) -> dict[str, Any]:
    """The object in the JSON file ``path`` of ``package``, merged with those of all features.

    Raises ``PluginError`` if a file cannot be read.
    """
    found: dict[str, Any] = {}
    for each in (package, *(feature.package for feature in installed())):
        file = files(each).joinpath(path)
        try:
            found |= json.loads(file.read_text("utf-8")) if file.is_file() else {}
        except (OSError, ValueError) as error:
            raise PluginError(f"{path} of {each} cannot be read: {error}: correct it") from error
    return found


def installed() -> tuple[Feature, ...]:
    """Return the features of all installed packages. Raises ``PluginError`` if one cannot be loaded."""
    return _installed(tuple(sys.path))


@cache
def _installed(_path: tuple[str, ...]) -> tuple[Feature, ...]:
    """Cached by search path: reading the entry points of all packages takes as long as indexing a page."""
    return tuple(_loaded(entry) for entry in sorted(entry_points(group=GROUP), key=attrgetter("name")))


def _loaded(entry: EntryPoint) -> Feature:
    try:
        found = entry.load()
    except Exception as error:  # whatever a package may raise as it is imported
        raise _broken(entry, str(error)) from error
    if not isinstance(found, Feature):
        raise _broken(entry, f"{entry.value} is not a Feature")
    if long := [step.name for step in found.steps if step.lease_share > MOST_LEASES]:
        raise _broken(entry, f"lease_share of {', '.join(long)} is more than {MOST_LEASES}")
    return found


def _broken(entry: EntryPoint, reason: str) -> PluginError:
    package = f"{entry.dist.name} {entry.dist.version}" if entry.dist else "its package"
    return PluginError(
        f"feature {entry.name!r} cannot be loaded: {reason}: correct it, or uninstall {package}"
    )

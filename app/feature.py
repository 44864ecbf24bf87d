"""Features: what the product does beside taking pages in and giving answers out.

Each is a package with a :class:`Feature`, an entry point of the group ``auskunft.features``. The core loops
over what they add, and knows none by its name. Texts of the form ``module:name`` are imported when they are
used, so that a command imports no web page.
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
"""The longest that a step may run, in leases: after three a broker sends its task again."""


class Command(NamedTuple):
    """A command of ``auskunft``. ``module``: has it under its own name; ``help``: its line in the list;
    ``group``: what it stands below there."""

    module: str
    help: str
    group: CommandGroup = "Other"


class MenuEntry(NamedTuple):
    """A line of the console's menu. ``text``: the name of its text; ``order``: the lowest stands first;
    ``group``: what it stands below; ``for_admins``: editors do not have it; ``is_shown``: a function of the
    services that returns False where there is nothing to see."""

    endpoint: str
    text: str
    order: int
    group: MenuGroup = "content"
    for_admins: bool = False
    is_shown: str = ""


class Box(NamedTuple):
    """A part of a page of the console. ``endpoint``: of the page it appears on; ``content``: a function of
    what that page is about; ``template``: gets its result as ``shown``."""

    endpoint: str
    template: str
    content: str


class Step(NamedTuple):
    """Work that is done again and again, called ``name`` in the log.

    ``run``: a function of the services and a stop that does some of it, and returns True if there may be
    more to do at once. ``is_due``: a function of the services, asked before. ``lane``: ``models`` waits for
    other servers, ``idle`` works while no page is due. ``lease_share``: the share of a lease after which a
    worker that still runs it is ended.
    """

    name: str
    lane: Lane
    run: str
    is_due: str
    lease_share: float = 0.8


class PageLink(NamedTuple):
    """A link on what the console shows of a page. ``endpoint``: its address has the page's source, language
    and id; ``text``: the name of its text."""

    endpoint: str
    text: str


class AnswerStep(NamedTuple):
    """A step of answers (:class:`app.chat.answer_steps.Step`). ``make``: a function of the services and of a
    site's options (:class:`app.chat.options.ChatOptions`) that returns the step, ``None`` where that site
    does not take it. ``before`` or ``after``: the name of the step next to it. Features that have the same
    neighbour come in the order of their names before it, and in the opposite order after it."""

    make: str
    before: str = ""
    after: str = ""


class StartPage(NamedTuple):
    """What ``/`` answers in place of the chat. ``view``: a function without arguments that returns the page;
    ``text``: the name of the text of links to it."""

    view: str
    text: str


class CounterFamily(NamedTuple):
    """A counter for Prometheus. ``name``: in the page store; ``labels``: of its values there."""

    name: str
    metric: str
    meaning: str
    labels: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True, kw_only=True)
class Feature:
    """A part of the product, as its ``package`` offers it. Its folder ``texts`` has texts of the console,
    and in ``pages`` those of pages for visitors; its ``examples.json`` has examples of its operations
    (:mod:`app.api.reference`).

    ``blueprints``: of the API and the console. ``boxes``, ``page_links``: what it adds to other pages of the
    console. ``labels``: the texts that name the fields of its forms. ``large_bodies``: beginnings of paths
    that take long texts. ``tables``: the module that describes its tables; ``claims``: those whose rows
    workers hold (:class:`app.pages.claims.HeldTable`). ``answer_steps``: steps added to the answering of each
    question.

    These name functions of the services. ``nightly``, which also get a stop, run once a night after the index
    was reconciled; ``expire`` delete what is older than it is kept; ``collectors`` yield metrics; ``checks``
    return lines of ``/readyz`` and ``auskunft status``, their keys name the line where one raises;
    ``enricher`` returns what adds to chunks (:class:`app.indexing.enrichment.ChunkEnricher`), ``None`` where
    no preset wants that.

    Of these, which name functions of the services too, the first feature's is used: ``terms`` returns
    translations of words (:class:`app.search.translations.TermTable`), ``energy`` the energy of answers
    (:class:`app.chat.energy.AnswerEnergy`), ``decisions`` those of editors about answers
    (:class:`app.chat.decisions.Decisions`), ``grading`` how answers are graded later
    (:class:`app.chat.grading.Grading`), ``annotations`` what gives the annotations of law as of now
    (:class:`app.law.annotations.UnitAnnotations`). ``start_page``, too, is that of the first that has one.

    ``start``, one too, is called as a server or a worker begins, before it works; ``warm_up`` beside the
    first questions to a server.

    ``news`` name functions of the services, of a reader and of a span of time, which yield sections of the
    letter to editors (:mod:`app.accounts.news`).

    ``objections`` are functions of the services, of a draft (:class:`app.search.types.IndexedPage`) and of
    sources, ``None`` for all: they return what pages of these say otherwise
    (:class:`app.search.drafts.Objection`).

    ``offers`` is a function of the services and of a site's settings: it returns what visitors of the site
    are offered where an answer does not help (:class:`app.chat.offers.Offer`), ``None`` where there is
    nothing.
    """

    package: str
    blueprints: tuple[str, ...] = ()
    menu: tuple[MenuEntry, ...] = ()
    boxes: tuple[Box, ...] = ()
    page_links: tuple[PageLink, ...] = ()
    commands: Mapping[str, Command] = field(default_factory=dict)
    steps: tuple[Step, ...] = ()
    nightly: tuple[str, ...] = ()
    expire: tuple[str, ...] = ()
    checks: Mapping[str, str] = field(default_factory=dict)
    counters: tuple[CounterFamily, ...] = ()
    collectors: tuple[str, ...] = ()
    tables: str = ""
    claims: tuple[str, ...] = ()
    answer_steps: tuple[AnswerStep, ...] = ()
    enricher: str = ""
    terms: str = ""
    energy: str = ""
    decisions: str = ""
    grading: str = ""
    labels: Mapping[str, str] = field(default_factory=dict)
    annotations: str = ""
    start_page: StartPage | None = None
    offers: str = ""
    start: str = ""
    warm_up: str = ""
    news: tuple[str, ...] = ()
    objections: tuple[str, ...] = ()
    large_bodies: tuple[str, ...] = ()


def merged_json(package: str, path: str) -> dict[str, Any]:
    """The object in the JSON file ``path`` of ``package``, with those of all features.

    Raises ``PluginError``.
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
    """The features of all installed packages. Raises ``PluginError`` for one that cannot be loaded."""
    return _installed(tuple(sys.path))


@cache
def _installed(_path: tuple[str, ...]) -> tuple[Feature, ...]:
    """Looked up once for a search path: reading what all packages offer takes as long as indexing a page."""
    return tuple(_loaded(entry) for entry in sorted(entry_points(group=GROUP), key=attrgetter("name")))


def _loaded(entry: EntryPoint) -> Feature:
    try:
        found = entry.load()
    except Exception as error:  # whatever a package may raise as it is imported
        raise _broken(entry, str(error)) from error
    if not isinstance(found, Feature):
        raise _broken(entry, f"{entry.value} is no Feature")
    if long := [step.name for step in found.steps if step.lease_share > MOST_LEASES]:
        raise _broken(entry, f"lease_share of {', '.join(long)} is more than {MOST_LEASES}")
    return found


def _broken(entry: EntryPoint, reason: str) -> PluginError:
    package = f"{entry.dist.name} {entry.dist.version}" if entry.dist else "its package"
    return PluginError(
        f"feature {entry.name!r} cannot be loaded: {reason}: correct it, or uninstall {package}"
    )

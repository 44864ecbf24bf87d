"""Users of the console and their rights."""

from dataclasses import dataclass
from typing import Literal

Role = Literal["editor", "admin"]


@dataclass(frozen=True, slots=True, kw_only=True)
class User:
    """A person with a name and a role. ``sources``: the sources that an editor may see and change, ``None``
    for all; admins see all."""

    name: str
    role: Role
    sources: frozenset[str] | None = None

    @property
    def is_admin(self) -> bool:
        """True if they may change users, sites and the index."""
        return self.role == "admin"

    @property
    def visible_sources(self) -> frozenset[str] | None:
        """The sources they may see; ``None`` for all."""
        return None if self.is_admin else self.sources

    def may_see(self, source: str) -> bool:
        """Return True if they may see and change pages of this source."""
        visible = self.visible_sources
        return visible is None or source in visible

    def may_see_all(self, sources: frozenset[str]) -> bool:
        """Return True if they may see all these sources, such as those that a site searches; an empty set
        stands for every source."""
        visible = self.visible_sources
        return visible is None or bool(sources and sources <= visible)

"""A real Wagtail site on loopback."""

from pathlib import Path

from tests.cms.django_site import DjangoSite


class Wagtail(DjangoSite):
    """The demo site of Wagtail."""

    def __init__(self, folder: Path, port: int, auskunft: str, secret: str) -> None:
        super().__init__("wagtail", folder, port, auskunft, secret)

    def prepare(self) -> None:
        """Give the site its address."""
        self.shell(
            "from town.models import *\n"
            "from wagtail.models import *\n"
            f"Site.objects.update(hostname='127.0.0.1', port={self.port})\n"
            "Site.clear_site_root_paths_cache()"
        )

"""A fixed answer of the town's editors."""

from app.features.curation.content import KINDS, Content
from app.features.curation.services import CurationServices
from app.services import Services
from tests.app.features.foreign import ForeignEntries


def add(services: Services) -> ForeignEntries:
    """Add it; both addresses name it by its number."""
    desk = services.feature(CurationServices).desk
    answer = Content(phrasings=["Who paints the town hall?"], text="Otto does.")
    number = {"number": desk.add("town", "answer", answer, "ada", confirmed=True).number}
    site, version = {"site": "town"}, {"version": 1}
    typed = {"phrasings": "Who paints?", "text": "Otto", "save": ""}
    content = {"phrasings": ["Who paints?"], "text": "Otto"}
    sent = {"site": "town", "kind": "answer", "content": content}
    return ForeignEntries(
        values={"console_curation": number, "curation": number},
        bodies={
            "console_curation.add": {"site": "town", "kind": "answer", **typed},
            "console_curation.change": version | typed,
            "curation.add": sent,
            "curation.preview": sent,
            "curation.change": version | {"content": content},
        },
        queries={
            "console_curation.page": (site, {"kind": "answer"}),
            "console_curation.new": (site, *({"site": "town", "kind": kind} for kind in KINDS)),
            "curation.entries": (site,),
            "curation.remove": (version,),
        },
    )

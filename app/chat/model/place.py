"""Tells where the language model runs."""

from urllib.parse import urlsplit

from app.settings.settings import ChatSettings, Settings
from app.settings.sites import is_loopback


def is_here(settings: Settings) -> bool:
    """True if the language model's server is on this machine, as its address or the settings say."""
    energy = settings.energy
    return energy.prompt_wh is None and (energy.model_here or _is_local(settings.chat))


def _is_local(chat: ChatSettings) -> bool:
    return is_loopback(urlsplit(chat.base_url).hostname or "")

"""``{% load auskunft %}{% auskunft_chat %}`` puts the chat on a page."""

from django import template
from django.utils.html import format_html
from django.utils.safestring import SafeString
from django.utils.translation import gettext as _

from auskunft_django import config

register = template.Library()


@register.simple_tag
def auskunft_chat(*, inline: bool = False) -> SafeString:
    """Return the chat's button, or with ``inline`` the chat itself; nothing if not configured."""
    try:
        found = config.load()
    except config.ConfigError:
        return SafeString("")
    if found is None:
        return SafeString("")
    url, site = found.url.rstrip("/"), found.site or found.source
    if not inline:
        return format_html('<script src="{}/widget.js" data-site="{}" async></script>', url, site)
    return format_html(
        '<auskunft-chat site="{1}"><a href="{0}/chat?site={1}">{2}</a></auskunft-chat>'
        '<script src="{0}/widget.js" async></script>',
        url,
        site,
        _("Ask a question"),
    )

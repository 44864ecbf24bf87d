"""Authenticates administrators by the installation's token (RFC 6750, a bearer token)."""

import hmac

from flask import request

from app.api.state import current_services
from app.errors import ForbiddenError, TokenError


def require_admin() -> None:
    """Check the request's ``Authorization: Bearer TOKEN``.

    Raises ``ForbiddenError`` if the settings have no token, and ``TokenError`` for a wrong or missing one.
    """
    token = current_services().settings.admin_token.get_secret_value()
    if not token:
        raise ForbiddenError("administration is off: set AUSKUNFT_ADMIN_TOKEN, and restart")
    scheme, _, given = request.headers.get("Authorization", "").partition(" ")
    if scheme.lower() != "bearer" or not hmac.compare_digest(given.strip().encode(), token.encode()):
        raise TokenError

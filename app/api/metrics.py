"""``GET /metrics`` for Prometheus: local requests need no token, others need the administrator's."""

from typing import Final
from urllib.parse import urlsplit

from apiflask import APIBlueprint
from flask import Response, request
from prometheus_client import CONTENT_TYPE_LATEST

from app.api.access import require_admin
from app.api.problem import problem_responses
from app.api.state import current_metrics
from app.settings.sites import is_loopback

FORWARDING: Final = ("Forwarded", "Via", "X-Forwarded-For", "X-Forwarded-Host", "X-Real-Ip")
"""Headers of proxies: a proxy may be on this machine while its client is not."""

blueprint = APIBlueprint("metrics", __name__, tag="Health")


@blueprint.get("/metrics")
@blueprint.doc(
    summary="Metrics for Prometheus",
    responses={200: {"description": "Metrics", "content": {"text/plain": {}}}, **problem_responses(401, 403)},
)
def metrics() -> Response:
    """With ``Authorization: Bearer TOKEN``, except for local requests."""
    if not is_local_request():
        require_admin()
    headers = {"Content-Type": CONTENT_TYPE_LATEST, "Cache-Control": "no-store"}
    return Response(current_metrics().text(), headers=headers)


def is_local_request() -> bool:
    """Return True if client and requested host are loopback addresses, and no proxy forwarded the request."""
    if any(name in request.headers for name in FORWARDING):
        return False
    host = urlsplit(f"//{request.host}").hostname
    return is_loopback(request.remote_addr or "") and is_loopback(host or "")

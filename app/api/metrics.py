"""``GET /metrics``, for Prometheus: on this machine as it is, elsewhere with the administrator's token."""

from ipaddress import ip_address
from typing import Final
from urllib.parse import urlsplit

from apiflask import APIBlueprint
from flask import Response, request
from prometheus_client import CONTENT_TYPE_LATEST

from app.api.admin_token import require_admin
from app.api.problem import documented
from app.api.state import current_metrics

FORWARDING: Final = ("Forwarded", "Via", "X-Forwarded-For", "X-Forwarded-Host", "X-Real-Ip")
"""What proxies add: whoever they ask for is not on this machine, though they are."""

blueprint = APIBlueprint("metrics", __name__, tag="Health")


@blueprint.get("/metrics")
@blueprint.doc(
    summary="Metrics for Prometheus",
    responses={200: {"description": "Metrics", "content": {"text/plain": {}}}, **documented(401, 403)},
)
def metrics() -> Response:
    """With ``Authorization: Bearer TOKEN``, unless it is asked on the machine itself."""
    if not is_asked_here():
        require_admin()
    headers = {"Content-Type": CONTENT_TYPE_LATEST, "Cache-Control": "no-store"}
    return Response(current_metrics().text(), headers=headers)


def is_asked_here() -> bool:
    """Whether the client is on this machine, asks by an address of it, and for nobody else."""
    if any(name in request.headers for name in FORWARDING):
        return False
    return _is_loopback(request.remote_addr) and _is_loopback(urlsplit(f"//{request.host}").hostname)


def _is_loopback(host: str | None) -> bool:
    try:
        return host == "localhost" or ip_address(host or "").is_loopback
    except ValueError:
        return False

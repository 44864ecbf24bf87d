"""The blueprint of operations below ``/api/admin``: access, description, and no caching."""

from collections.abc import Callable, Mapping
from typing import Any, Final

from apiflask import APIBlueprint
from flask import Response, request

from app.api.access import require_user
from app.api.headers import NO_STORE
from app.api.problem import problem_responses

_ERRORS: Final = (401, 403, 503)
"""Statuses that any operation may return."""


class AdminBlueprint(APIBlueprint):
    """Operations at ``path`` below ``/api/admin``, for callers that ``check`` admits.

    ``check_body``: called for POST and PUT before APIFlask parses the body (:mod:`app.api.json_body`).
    ``errors``: statuses that all its operations may return, in addition to 401, 403 and 503.
    """

    def __init__(
        self,
        name: str,
        module: str,
        path: str = "",
        *,
        check: Callable[[], object] = require_user,
        check_body: Callable[[], None] | None = None,
        errors: tuple[int, ...] = (),
    ) -> None:
        super().__init__(name, module, url_prefix=f"/api/admin{path}", tag="Administration")
        self._errors = errors

        @self.before_request
        def admit() -> None:
            check()
            if check_body and request.method in ("POST", "PUT"):
                check_body()

        @self.after_request
        def forbid_keeping(response: Response) -> Response:
            response.headers.update(NO_STORE)
            return response

    def operation(
        self, summary: str, *errors: int, responses: Mapping[int, Any] | None = None
    ) -> Callable[[Any], Any]:
        """Describe an operation, with the ``errors`` that only it may return. ``responses``: other responses,
        in OpenAPI's form."""
        failed = problem_responses(*sorted({*_ERRORS, *self._errors, *errors}))
        return self.doc(summary=summary, security="AdminToken", responses=dict(responses or {}) | failed)

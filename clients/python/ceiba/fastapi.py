"""A dependency for the routes of FastAPI."""

from __future__ import annotations

from typing import Any, Awaitable, Callable, Optional

from fastapi import FastAPI, Request, Response, WebSocketException
from fastapi.exceptions import HTTPException
from fastapi.requests import HTTPConnection

from .asgi import judge_in_thread, question_in
from .client import AuthorizeClient
from .guard import AsgiApp, Receive, Scope, Send, with_headers
from .judging import VERDICTS, Access, Cost, Verdict, refusal
from .transport import Headers

# The key of a scope under which the headers of its allow are listed.
_HEADERS = "ceiba.headers"


class AccessDenied(HTTPException):
    """The request must not proceed; `register_replies` answers it."""

    def __init__(self, verdict: Verdict) -> None:
        headers = {name: value for name, value in verdict.headers if not name.startswith("content-")}
        super().__init__(verdict.status, verdict.body.decode(), headers)
        self.verdict = verdict


def access_dependency(
    client: AuthorizeClient, *, cost: Optional[Cost[HTTPConnection]] = None
) -> Callable[..., Awaitable[Access]]:
    """Guards a route, a router or an application: `Depends(access_dependency(client))`, whose value is
    the `Access` of the request. Behind an `AsgiGuard` with the same client nothing is charged twice.

    Call `register_replies(app)` once, so that a denial has the body that every host of Ceiba sends, and
    every response to an allowed request `RateLimit` and `RateLimit-Policy`. FastAPI reads a body before its
    dependencies; `AsgiGuard` asks before that.

    :param cost: what a request takes of quotas, in place of its policy's cost, or what says it of the
        request
    """

    async def ceiba_access(connection: HTTPConnection, response: Response) -> Access:
        scope = connection.scope
        verdicts = scope.setdefault(VERDICTS, {})
        # The policy names `/files`; a router may serve `/files/` as the file with an empty name.
        if any(value == "" for value in connection.path_params.values()):
            verdict = refusal("policy_no_match")
        else:
            question = question_in(scope)
            verdict = await judge_in_thread(client, question, verdicts, cost, connection)
        allowed = scope.setdefault(_HEADERS, [])
        allowed.clear()
        if verdict.access is None:
            if scope["type"] == "websocket":
                raise WebSocketException(1008)
            raise AccessDenied(verdict)
        for name, value in verdict.headers:
            response.headers[name] = value
        allowed += verdict.headers
        scope["ceiba"] = verdict.access
        return verdict.access

    return ceiba_access


def register_replies(app: FastAPI) -> None:
    """Answers a denial of `access_dependency` as every host of Ceiba does, and gives each response to an
    allowed request its headers. FastAPI adds those of a dependency to no response that a handler returns.
    """

    async def reply(_request: Request, error: Any) -> Response:
        verdict: Verdict = error.verdict
        return Response(verdict.body, verdict.status, dict(verdict.headers))

    app.add_exception_handler(AccessDenied, reply)
    app.add_middleware(_AllowHeaders)


class _AllowHeaders:
    def __init__(self, app: AsgiApp) -> None:
        self._app = app

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        headers: Headers = scope.setdefault(_HEADERS, [])
        await self._app(scope, receive, with_headers(send, headers))

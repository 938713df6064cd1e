"""Guards for WSGI and ASGI applications: a request reaches the application only after an allow."""

from __future__ import annotations

import os
from http import HTTPStatus
from typing import (
    Any,
    Awaitable,
    Callable,
    Dict,
    Generic,
    Iterable,
    MutableMapping,
    Optional,
    Tuple,
    TypeVar,
)

from .asgi import handshake_method, judge_in_thread, path_of, question_in
from .client import AuthorizeClient
from .judging import (
    VERDICTS,
    Cost,
    Coverage,
    Question,
    Verdict,
    checked_cost,
    judge,
    merged,
    question_of,
)
from .transport import Headers

Scope = MutableMapping[str, Any]
Message = MutableMapping[str, Any]
Receive = Callable[[], Awaitable[Message]]
Send = Callable[[Message], Awaitable[None]]
AsgiApp = Callable[[Scope, Receive, Send], Awaitable[None]]
WsgiApp = Callable[[Dict[str, Any], Callable[..., Any]], Iterable[bytes]]
App = TypeVar("App")


def wsgi_path(environ: Dict[str, Any]) -> bytes:
    """The whole path as the routers of the application see it, decoded: without the root path of the
    server, and with what a dispatcher has moved into `SCRIPT_NAME`."""
    mount: str = environ.get("SCRIPT_NAME", "")
    path: str = environ.get("PATH_INFO", "")
    server_root = os.environ.get("SCRIPT_NAME", "")
    if mount != "" and environ.get("HTTP_SCRIPT_NAME", server_root) != server_root:
        # gunicorn takes its root path from this header of a caller, other servers ignore it. Whether the
        # router sees the mount cannot be known: an empty segment makes the path ambiguous.
        mount += "//"
    elif mount == server_root or mount.startswith(f"{server_root}/"):
        mount = mount[len(server_root) :]
    return (mount + path).encode("latin-1")


def wsgi_question(environ: Dict[str, Any]) -> Question:
    names = {"authorization": "HTTP_AUTHORIZATION", "x-api-key": "HTTP_X_API_KEY"}
    credentials = [(name, environ[key]) for name, key in names.items() if key in environ]
    return question_of(environ["REQUEST_METHOD"], wsgi_path(environ), credentials)


class _Guard(Generic[App]):
    def __init__(
        self,
        app: App,
        client: AuthorizeClient,
        *,
        prefixes: Iterable[str] = ("/",),
        exempt: Iterable[str] = (),
        cost: Optional[Cost[Any]] = None,
    ) -> None:
        self._app = app
        self._client = client
        self._coverage = Coverage(prefixes, exempt)
        self._cost = cost if cost is None or callable(cost) else checked_cost(cost)


class WsgiGuard(_Guard[WsgiApp]):
    """Wraps a WSGI application; `environ["ceiba"]` is then the `Access` of the request.

    :param prefixes: the paths that are judged, with all below them
    :param exempt: paths among them that are not; one that ends in `*` includes all below it
    :param cost: what a request takes of quotas, in place of its policy's cost, or what says it of `environ`
    """

    def __call__(self, environ: Dict[str, Any], start_response: Callable[..., Any]) -> Iterable[bytes]:
        # Flask and Django route on PATH_INFO alone.
        readings = [wsgi_path(environ), environ.get("PATH_INFO", "").encode("latin-1")]
        if not any(self._coverage.covers(path.decode("utf-8", "surrogateescape")) for path in readings):
            return self._app(environ, start_response)
        verdicts = environ.get(VERDICTS, {})
        verdict = judge(self._client, wsgi_question(environ), verdicts, self._cost, environ)
        if verdict.access is None:
            status = HTTPStatus(verdict.status)
            start_response(f"{status.value} {status.phrase}", verdict.headers)
            return [] if environ["REQUEST_METHOD"] == "HEAD" else [verdict.body]

        def start(status: str, headers: Headers, *rest: Any) -> Any:
            return start_response(status, merged(headers, verdict.headers), *rest)

        return self._app({**environ, "ceiba": verdict.access, VERDICTS: verdicts}, start)


class AsgiGuard(_Guard[AsgiApp]):
    """Wraps an ASGI application; `scope["ceiba"]` is then the `Access` of the request.

    :param prefixes: the paths that are judged, with all below them
    :param exempt: paths among them that are not; one that ends in `*` includes all below it
    :param cost: what a request takes of quotas, in place of its policy's cost, or what says it of `scope`
    """

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        if scope["type"] == "lifespan":
            await self._app(scope, receive, send)
            return
        if scope["type"] not in ("http", "websocket"):
            raise ValueError(f"a scope of type {scope['type']} cannot be judged")
        if not self._coverage.covers(path_of(scope)):
            await self._app(scope, receive, send)
            return
        verdicts = scope.get(VERDICTS, {})
        question = question_in(scope)
        verdict = await judge_in_thread(self._client, question, verdicts, self._cost, scope)
        if verdict.access is None:
            await refuse(scope, send, verdict)
            return
        inner = {**scope, "ceiba": verdict.access, VERDICTS: verdicts}
        await self._app(inner, receive, with_headers(send, verdict.headers))


async def refuse(scope: Scope, send: Send, verdict: Verdict) -> None:
    """Answers with the status of a denial. A WebSocket is never opened: it gets that status where the
    server supports it, and is closed otherwise, for which the server picks the status 403."""
    kind = "http.response"
    if scope["type"] == "websocket":
        kind = "websocket.http.response"
        if kind not in (scope.get("extensions") or {}):
            await send({"type": "websocket.close", "code": 1008})
            return
    headers = _encoded(verdict.headers)
    await send({"type": f"{kind}.start", "status": verdict.status, "headers": headers})
    body = b"" if handshake_method(scope) == "HEAD" else verdict.body
    await send({"type": f"{kind}.body", "body": body})


def with_headers(send: Send, headers: Headers) -> Send:
    """Gives a response the headers that are listed when it starts, which replace those of the same name."""

    async def guarded(message: Message) -> None:
        if message["type"] in ("http.response.start", "websocket.accept"):
            names = {name.encode() for name, _ in headers}
            kept = [pair for pair in message.get("headers", []) if pair[0].lower() not in names]
            message = {**message, "headers": [*kept, *_encoded(headers)]}
        await send(message)

    return guarded


def _encoded(headers: Headers) -> "list[Tuple[bytes, bytes]]":
    return [(name.encode(), value.encode()) for name, value in headers]

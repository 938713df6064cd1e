"""Guards for WSGI and ASGI applications. A request passes only after an allow.

The guard asks `forward-auth`, whose answer is the reply to the caller: no rule of the service is
repeated here. Whatever is not exactly such an answer becomes a 503.
"""

from __future__ import annotations

import asyncio
import json
import logging
from http import HTTPStatus
from typing import Any, Callable, Dict, Iterable, List, NamedTuple, Optional
from urllib.parse import quote

from .client import Client
from .transport import Answer, Headers

log = logging.getLogger("ceiba")

PASSED_ON = ("www-authenticate", "retry-after", "ratelimit", "ratelimit-policy")
LIMITS = ("ratelimit", "ratelimit-policy")
DENIALS = (401, 403, 429)
HINTS = {503: ": it has an outage, or project_id or project_secret is wrong; its log says which"}
UNAVAILABLE = json.dumps(
    {"error": "service_unavailable", "message": "Access cannot be checked at the moment."}
).encode()
# Left as they are, so that the Runtime sees what the router sees and refuses what is ambiguous.
RAW = "/!$&'()*+,;=:@~\\[]|{}^`<>\""


class Verdict(NamedTuple):
    #: Who called; None if the request must not proceed.
    access: Optional[Dict[str, str]]
    status: int
    #: For the reply of the handler, or for that of the guard.
    headers: Headers
    body: bytes


def judge(client: Client, method: str, path: bytes, credentials: Headers) -> Verdict:
    """Asks about one request. Never raises: every error becomes a 503.

    :param path: as the router sees it, decoded
    """
    try:
        headers = [
            ("x-original-method", method),
            ("x-original-uri", quote(path, safe=RAW)),
            *credentials,
        ]
        address = f"/rt/projects/{client.project_id}/forward-auth"
        return verdict_of(client._transport.send("GET", address, headers))
    except Exception as error:  # whatever it is, there is no verdict
        log.warning("requests are refused: the Runtime gave no verdict: %r", error)
        return Verdict(None, 503, [], UNAVAILABLE)


def verdict_of(answer: Answer) -> Verdict:
    body = json.loads(answer.body)
    decision_id = answer.header("x-ceiba-decision-id")
    if answer.status == 200 and body == {"allowed": True} and decision_id:
        access = {
            name: answer.header(f"x-ceiba-{name.replace('_', '-')}")
            for name in ("project_id", "decision_id", "key_id", "policy_id", "plan_id")
        }
        return Verdict(access, 200, chosen(answer, LIMITS), b"")
    is_refusal = isinstance(body, dict) and isinstance(body.get("error"), str)
    if answer.status in DENIALS and decision_id and is_refusal:
        return Verdict(None, answer.status, chosen(answer, PASSED_ON), answer.body)
    log.warning("requests are refused: the Runtime answered %d%s", answer.status, HINTS.get(answer.status, ""))
    return Verdict(None, 503, [], UNAVAILABLE)


def chosen(answer: Answer, names: Iterable[str]) -> Headers:
    return [(name, answer.header(name)) for name in names if answer.header(name)]


def reply_headers(verdict: Verdict) -> Headers:
    return [
        ("content-type", "application/json; charset=utf-8"),
        ("cache-control", "no-store"),
        ("content-length", str(len(verdict.body))),
        *verdict.headers,
    ]


class WsgiGuard:
    """Wraps a WSGI application; `environ["ceiba"]` then has the ids of key, policy and plan."""

    def __init__(self, app: Callable[..., Iterable[bytes]], client: Client) -> None:
        self._app = app
        self._client = client

    def __call__(self, environ: Dict[str, Any], start_response: Callable[..., Any]) -> Iterable[bytes]:
        names = {"authorization": "HTTP_AUTHORIZATION", "x-api-key": "HTTP_X_API_KEY"}
        credentials = [(name, environ[key]) for name, key in names.items() if key in environ]
        path = (environ.get("SCRIPT_NAME", "") + environ.get("PATH_INFO", "")).encode("latin-1")
        verdict = judge(self._client, environ["REQUEST_METHOD"], path, credentials)
        if verdict.access is None:
            status = HTTPStatus(verdict.status)
            start_response(f"{status.value} {status.phrase}", reply_headers(verdict))
            return [] if environ["REQUEST_METHOD"] == "HEAD" else [verdict.body]

        def start(status: str, headers: Headers, *rest: Any) -> Any:
            return start_response(status, [*headers, *verdict.headers], *rest)

        return self._app({**environ, "ceiba": verdict.access}, start)


class AsgiGuard:
    """Wraps an ASGI application; `scope["ceiba"]` then has the ids of key, policy and plan."""

    def __init__(self, app: Callable[..., Any], client: Client) -> None:
        self._app = app
        self._client = client

    async def __call__(self, scope: Dict[str, Any], receive: Any, send: Any) -> None:
        if scope["type"] == "lifespan":
            await self._app(scope, receive, send)
            return
        if scope["type"] not in ("http", "websocket"):
            raise ValueError(f"a scope of type {scope['type']} cannot be judged")
        credentials: List[Any] = [
            (name.decode("latin-1"), value.decode("latin-1"))
            for name, value in scope["headers"]
            if name.lower() in (b"authorization", b"x-api-key")
        ]
        # The handshake of a WebSocket is a GET.
        method = scope.get("method", "GET")
        path = scope["path"].encode("utf-8", "surrogateescape")
        verdict = await asyncio.to_thread(judge, self._client, method, path, credentials)
        if verdict.access is None:
            await self._refuse(scope, send, verdict)
        elif scope["type"] == "websocket":
            await self._app({**scope, "ceiba": verdict.access}, receive, send)
        else:
            await self._app({**scope, "ceiba": verdict.access}, receive, with_headers(send, verdict))

    @staticmethod
    async def _refuse(scope: Dict[str, Any], send: Any, verdict: Verdict) -> None:
        if scope["type"] == "websocket":
            await send({"type": "websocket.close", "code": 1008})
            return
        headers = [(name.encode(), value.encode()) for name, value in reply_headers(verdict)]
        await send({"type": "http.response.start", "status": verdict.status, "headers": headers})
        body = b"" if scope["method"] == "HEAD" else verdict.body
        await send({"type": "http.response.body", "body": body})


def with_headers(send: Any, verdict: Verdict) -> Any:
    extra = [(name.encode(), value.encode()) for name, value in verdict.headers]

    async def guarded(message: Dict[str, Any]) -> None:
        if message["type"] == "http.response.start":
            message = {**message, "headers": [*message.get("headers", []), *extra]}
        await send(message)

    return guarded

"""What a guard reads from the scope of an ASGI request, and how it asks without blocking the event loop."""

from __future__ import annotations

import asyncio
import contextvars
import importlib.util
import logging
import os
import time
from concurrent.futures import ThreadPoolExecutor
from functools import lru_cache
from typing import Any, Mapping, MutableMapping, Optional

from .client import AuthorizeClient
from .judging import Cost, Question, Verdict, judge, question_of, refusal

log = logging.getLogger("ceiba")

#: How many questions of the event loops of a process are under way at once.
THREADS_MAX = 32


def handshake_method(scope: Mapping[str, Any]) -> str:
    """The method of a request; the handshake of a WebSocket is a GET."""
    method: str = scope.get("method", "GET")
    return method


def question_in(scope: Mapping[str, Any]) -> Question:
    headers = ((name.decode("latin-1").lower(), value.decode("latin-1")) for name, value in scope["headers"])
    path = path_of(scope).encode("utf-8", "surrogateescape")
    return question_of(handshake_method(scope), path, headers)


def path_of(scope: Mapping[str, Any]) -> str:
    """The whole path as the router of the application sees it, decoded: without the root path of the
    server (`--root-path`), and with that of the mounts in between."""
    path: str = scope["path"]
    root: str = scope.get("root_path") or ""
    server_root: str = scope.get("app_root_path", root) or ""
    if not _path_has_root():
        return root[len(server_root) :] + path
    if server_root != "" and (path == server_root or path.startswith(f"{server_root}/")):
        return path[len(server_root) :]
    return path


@lru_cache(maxsize=None)
def _path_has_root() -> bool:
    """Whether a path includes the root path, as the specification says. Starlette before 0.33 takes it
    as the part below the root path; without Starlette, the specification counts."""
    if importlib.util.find_spec("starlette") is None:
        return True
    utils = importlib.import_module("starlette._utils")
    return hasattr(utils, "get_route_path")


async def judge_in_thread(
    client: AuthorizeClient,
    question: Question,
    verdicts: MutableMapping[Any, Verdict],
    cost: Optional[Cost[Any]],
    request: Any,
) -> Verdict:
    """Like `judge`, in one of the threads for it, so that neither the event loop nor its own threads wait
    for the Runtime. A question that waits for a thread until its deadline is a 503, and is not asked."""
    waits_since = time.monotonic()

    def run() -> Verdict:
        if time.monotonic() - waits_since >= getattr(client, "timeout", float("inf")):
            log.warning("requests are refused: %d questions wait for the Runtime already", THREADS_MAX)
            return refusal("unavailable")
        return judge(client, question, verdicts, cost, request)

    context = contextvars.copy_context()
    loop = asyncio.get_running_loop()
    return await loop.run_in_executor(_threads_of(os.getpid()), lambda: context.run(run))


@lru_cache(maxsize=1)
def _threads_of(_process: int) -> ThreadPoolExecutor:
    """Those of this process: a fork leaves the child none of its parent's."""
    return ThreadPoolExecutor(THREADS_MAX, thread_name_prefix="ceiba")

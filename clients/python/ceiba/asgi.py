"""What a guard reads from the scope of an ASGI request."""

from __future__ import annotations

import importlib.util
from functools import lru_cache
from typing import Any, Mapping

from .judging import Question, question_of


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

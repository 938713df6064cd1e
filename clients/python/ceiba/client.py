"""The client of the Runtime: decisions, keys and the decision log."""

from __future__ import annotations

import http.client
import json
import re
from typing import Any, Iterable, Optional

from .operations import Operations
from .transport import Headers, Transport

UUID = re.compile(r"[0-9a-fA-F]{8}(?:-[0-9a-fA-F]{4}){3}-[0-9a-fA-F]{12}")
MOST_BYTES = 96 * 1024 * 1024


class CeibaError(Exception):
    """The Runtime gave no answer (`status` is None), or answered with another status than 200."""

    def __init__(self, message: str, status: Optional[int] = None, body: Any = None) -> None:
        super().__init__(message)
        self.status = status
        self.body = body


class Client(Operations):
    """Asks the Runtime. One client per process is enough, and threads may share it.

    :param timeout: the deadline of one call, in seconds
    :param allow_plain_http_hosts: hosts that may be reached without TLS; loopback always may
    :raises ValueError: for a setting that cannot work; the message never contains its value
    """

    def __init__(
        self,
        *,
        runtime_base_url: str,
        project_id: str,
        project_secret: str,
        timeout: float = 1.0,
        allow_plain_http_hosts: Iterable[str] = (),
    ) -> None:
        if not UUID.fullmatch(project_id):
            raise ValueError("project_id must be a UUID")
        self.project_id = project_id
        self._transport = Transport(
            runtime_base_url, project_secret, timeout, allow_plain_http_hosts
        )

    def _call(self, method: str, path: str, body: Any) -> Any:
        headers: Headers = [("accept", "application/json")]
        data = b""
        if body is not None:
            headers.append(("content-type", "application/json"))
            data = json.dumps(body).encode()
        try:
            answer = self._transport.send(method, path, headers, data, MOST_BYTES)
        except (OSError, http.client.HTTPException) as error:
            raise CeibaError(f"the Runtime gave no answer: {error}") from error
        try:
            parsed = json.loads(answer.body)
        except ValueError:
            parsed = None
        if answer.status != 200 or parsed is None:
            raise CeibaError(f"the Runtime answered {answer.status}", answer.status, parsed)
        return parsed

"""One HTTP exchange with the Runtime: bounded, within a deadline, never redirected or repeated."""

from __future__ import annotations

import http.client
import io
import socket
import time
from typing import Any, Iterable, List, NamedTuple, Tuple
from urllib.parse import urlsplit

SECRET_HEADER = "x-service-project-secret"
LOOPBACK = {"localhost", "127.0.0.1", "::1"}
Headers = List[Tuple[str, str]]


class Answer(NamedTuple):
    status: int
    headers: Headers
    body: bytes

    def header(self, name: str) -> str:
        """The value of a header; empty if it is absent."""
        return next((value for key, value in self.headers if key.lower() == name.lower()), "")


class UntilDeadline(io.RawIOBase):
    """Reads from a socket until a point in time, however slowly the bytes come.

    A socket's own timeout starts over with every byte.
    """

    def __init__(self, sock: socket.socket, ends_at: float) -> None:
        self._sock = sock
        self._ends_at = ends_at

    def makefile(self, mode: str) -> io.BufferedReader:
        """What `http.client` calls on a socket."""
        return io.BufferedReader(self)

    def readable(self) -> bool:
        return True

    def readinto(self, buffer: Any) -> int:
        self._sock.settimeout(time_left(self._ends_at))
        return self._sock.recv_into(buffer)


def time_left(ends_at: float) -> float:
    left = ends_at - time.monotonic()
    if left <= 0:
        raise TimeoutError("the Runtime gave no answer in time")
    return left


class Transport:
    """Sends to one Runtime with the secret of one project. Safe to share between threads."""

    def __init__(
        self,
        runtime_base_url: str,
        project_secret: str,
        timeout: float,
        allow_plain_http_hosts: Iterable[str],
    ) -> None:
        url = urlsplit(runtime_base_url)
        if url.scheme not in ("http", "https") or not url.hostname:
            raise ValueError("runtime_base_url must be an address such as https://runtime.example.com")
        if url.username or url.password or url.query or url.fragment:
            raise ValueError("runtime_base_url must have no credentials, query or fragment")
        if url.scheme == "http" and url.hostname not in LOOPBACK | set(allow_plain_http_hosts):
            raise ValueError("runtime_base_url must use https, or its host be in allow_plain_http_hosts")
        if not project_secret.isascii() or not project_secret.isprintable() or not project_secret:
            raise ValueError("project_secret must be visible ASCII without spaces or line breaks")
        self._url = url
        self._secret = project_secret
        self._timeout = timeout

    def send(
        self, method: str, path: str, headers: Headers, body: bytes = b"", most_bytes: int = 65_536
    ) -> Answer:
        """Sends one request.

        :raises OSError: if there is no answer in time
        :raises http.client.HTTPException: if the answer is not HTTP, or too large
        """
        ends_at = time.monotonic() + self._timeout
        connection = self._connect()
        try:
            connection.connect()
            connection.sock.settimeout(time_left(ends_at))
            connection.putrequest(method, self._url.path.rstrip("/") + path)
            for name, value in [(SECRET_HEADER, self._secret), ("content-length", str(len(body)))]:
                connection.putheader(name, value)
            for name, value in headers:
                connection.putheader(name, value)
            connection.endheaders(body or None)
            answer = http.client.HTTPResponse(UntilDeadline(connection.sock, ends_at), method=method)
            answer.begin()
            return Answer(answer.status, answer.getheaders(), self._read(answer, most_bytes))
        finally:
            connection.close()

    def _connect(self) -> http.client.HTTPConnection:
        kind = http.client.HTTPSConnection if self._url.scheme == "https" else http.client.HTTPConnection
        return kind(self._url.hostname or "", self._url.port, timeout=self._timeout)

    @staticmethod
    def _read(answer: http.client.HTTPResponse, most_bytes: int) -> bytes:
        chunks = []
        received = 0
        while True:
            chunk = answer.read1(65_536)
            if not chunk:
                return b"".join(chunks)
            received += len(chunk)
            if received > most_bytes:
                raise http.client.HTTPException("the answer is too large")
            chunks.append(chunk)

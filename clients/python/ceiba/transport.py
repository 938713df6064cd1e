"""HTTP exchanges with the Runtime: bounded, within a deadline, never redirected or repeated."""

from __future__ import annotations

import http.client
import io
import os
import select
import socket
import threading
import time
from functools import partial
from typing import Any, List, NamedTuple, Optional, Tuple, Type
from urllib.parse import SplitResult

SECRET_HEADER = "x-service-project-secret"
Headers = List[Tuple[str, str]]

#: How long a connection may be idle, in seconds; less than the 65 after which the Runtime closes it.
IDLE_SECONDS_MAX = 30.0
IDLE_CONNECTIONS_MAX = 32


class Answer(NamedTuple):
    status: int
    body: bytes


class _Buffer(io.BufferedReader):
    """Buffers an answer, and says after its end whether more had arrived."""

    has_rest = False

    def close(self) -> None:
        if not self.closed:
            raw = self.raw
            if isinstance(raw, _UntilDeadline):
                raw.is_over = True
                self.has_rest = bool(self.peek(1))
        super().close()


class _UntilDeadline(io.RawIOBase):
    """Reads from a socket until a point in time, however slowly the bytes come.

    A socket's own timeout starts over with every byte.
    """

    def __init__(self, sock: socket.socket, ends_at: float) -> None:
        self._sock = sock
        # Keeps the socket open where the connection gives it up before the body was read.
        self._source = sock.makefile("rb", buffering=0)
        self._ends_at = ends_at
        self.is_over = False
        self.buffer = _Buffer(self)

    def makefile(self, _mode: str) -> io.BufferedReader:
        """What `http.client` calls on a socket."""
        return self.buffer

    def readable(self) -> bool:
        return True

    def readinto(self, buffer: Any) -> Optional[int]:
        if self.is_over:
            return None
        self._sock.settimeout(time_left(self._ends_at))
        return self._source.readinto(buffer)

    def close(self) -> None:
        self._source.close()
        super().close()


def time_left(ends_at: float) -> float:
    left = ends_at - time.monotonic()
    if left <= 0:
        raise TimeoutError("the Runtime gave no answer in time")
    return left


class _Pool:
    """Idle connections, the last used first. Safe to share between threads, and empty after a fork."""

    def __init__(self) -> None:
        self._lock = threading.Lock()
        self._idle: List[Tuple[http.client.HTTPConnection, float]] = []
        self._process = os.getpid()

    def take(self) -> Optional[http.client.HTTPConnection]:
        """A connection that is still open; None if there is none."""
        while True:
            with self._lock:
                if self._process != os.getpid():
                    # They belong to the parent process, which goes on using them.
                    self._idle, self._process = [], os.getpid()
                if not self._idle:
                    return None
                connection, since = self._idle.pop()
            if time.monotonic() - since < IDLE_SECONDS_MAX and not _has_news(connection.sock):
                return connection
            connection.close()

    def put(self, connection: http.client.HTTPConnection) -> None:
        with self._lock:
            if self._process == os.getpid() and len(self._idle) < IDLE_CONNECTIONS_MAX:
                self._idle.append((connection, time.monotonic()))
                return
        connection.close()

    def close(self) -> None:
        with self._lock:
            idle, self._idle = self._idle, []
        for connection, _ in idle:
            connection.close()


def _has_news(sock: Optional[socket.socket]) -> bool:
    """Whether an idle connection was closed by the other side, or got bytes before a question was sent."""
    if sock is None:
        return True
    poll = select.poll() if hasattr(select, "poll") else None
    if poll is None:
        return bool(select.select([sock], [], [], 0)[0])
    poll.register(sock, select.POLLIN)
    return bool(poll.poll(0))


class Transport:
    """Sends to one Runtime with the secret of one project. Safe to share between threads.

    :param timeout: the deadline of one exchange, in seconds
    """

    def __init__(self, url: SplitResult, project_secret: str, timeout: float) -> None:
        self._url = url
        self._secret = project_secret
        self._timeout = timeout
        self._pool = _Pool()

    def send(self, method: str, path: str, headers: Headers, body: bytes, most_bytes: int) -> Answer:
        """Sends one request, and never sends it again: the Runtime may have charged it.

        :raises OSError: if there is no answer in time
        :raises http.client.HTTPException: if the answer is not HTTP, or too large
        """
        ends_at = time.monotonic() + self._timeout
        connection = self._pool.take()
        if connection is None:
            connection = self._connect()
        try:
            connection.sock.settimeout(time_left(ends_at))
            connection.putrequest(method, self._url.path.rstrip("/") + path)
            for name, value in [(SECRET_HEADER, self._secret), ("content-length", str(len(body)))]:
                connection.putheader(name, value)
            for name, value in headers:
                connection.putheader(name, value)
            connection.endheaders(body or None)
            source = _UntilDeadline(connection.sock, ends_at)
            connection.response_class = partial(_answer_from, source)  # type: ignore[assignment]
            answer = connection.getresponse()
            received = Answer(answer.status, _read(answer, most_bytes))
        except BaseException:
            connection.close()
            raise
        if answer.will_close or source.buffer.has_rest:
            connection.close()
        else:
            self._pool.put(connection)
        return received

    def close(self) -> None:
        """Closes the idle connections; later exchanges open new ones."""
        self._pool.close()

    def _connect(self) -> http.client.HTTPConnection:
        is_https = self._url.scheme == "https"
        kind: Type[http.client.HTTPConnection] = (
            http.client.HTTPSConnection if is_https else http.client.HTTPConnection
        )
        connection = kind(self._url.hostname or "", self._url.port, timeout=self._timeout)
        connection.connect()
        return connection


def _answer_from(
    source: Any, _sock: socket.socket, *_: Any, method: Optional[str] = None
) -> http.client.HTTPResponse:
    return http.client.HTTPResponse(source, method=method)


def _read(answer: http.client.HTTPResponse, most_bytes: int) -> bytes:
    chunks: List[bytes] = []
    received = 0
    while True:
        chunk = answer.read1(65_536)
        if not chunk:
            answer.close()
            if answer.length:
                raise http.client.IncompleteRead(b"", answer.length)
            return b"".join(chunks)
        received += len(chunk)
        if received > most_bytes:
            raise http.client.HTTPException("the answer is too large")
        chunks.append(chunk)

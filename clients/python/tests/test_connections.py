"""The connections of a client: kept, shared by threads, and never used for a request twice."""

import contextlib
import socket
import threading
import unittest
from concurrent.futures import ThreadPoolExecutor
from unittest import mock

from ceiba import CeibaError, Client

PROJECT = "00000000-0000-4000-8000-000000000000"
BODY = b'{"ok":true}'
OK = b"HTTP/1.1 200 OK\r\ncontent-length: 11\r\n\r\n" + BODY


class Server:
    """Answers each request of each connection by a function of its bytes; closes on None."""

    def __init__(self, answer):
        self.connections = 0
        self.requests = 0
        self._answer = answer
        self._open = []
        self._lock = threading.Lock()
        self._socket = socket.create_server(("127.0.0.1", 0))
        self.url = f"http://127.0.0.1:{self._socket.getsockname()[1]}"
        threading.Thread(target=self._accept, daemon=True).start()

    def _accept(self):
        with contextlib.suppress(OSError):
            while True:
                connection, _ = self._socket.accept()
                with self._lock:
                    self.connections += 1
                    self._open.append(connection)
                threading.Thread(target=self._serve, args=(connection,), daemon=True).start()

    def _serve(self, connection):
        with connection, contextlib.suppress(OSError):
            while True:
                received = b""
                while b"\r\n\r\n" not in received:
                    more = connection.recv(65_536)
                    if not more:
                        return
                    received += more
                with self._lock:
                    self.requests += 1
                    number = self.requests
                answer = self._answer(number)
                if answer is None:
                    return
                connection.sendall(answer)
                if b"connection: close" in answer:
                    return

    def close_connections(self):
        for connection in self._open:
            with contextlib.suppress(OSError):
                connection.shutdown(socket.SHUT_RDWR)

    def __enter__(self):
        return self

    def __exit__(self, *_):
        self._socket.close()
        self.close_connections()


class ConnectionsTest(unittest.TestCase):
    def client_of(self, server, timeout=5.0):
        client = Client(
            runtime_base_url=server.url,
            project_id=PROJECT,
            project_secret="ceiba_secret_x",
            timeout=timeout,
        )
        self.addCleanup(client.close)
        return client

    def test_are_kept_from_one_question_to_the_next(self):
        with Server(lambda _: OK) as server:
            client = self.client_of(server)
            for _ in range(20):
                self.assertEqual(client.get_health(), {"ok": True})
            self.assertEqual((server.requests, server.connections), (20, 1))

    def test_are_shared_by_threads_with_one_question_each_at_a_time(self):
        entered = threading.Barrier(4)

        def answer(number):
            if number <= 4:
                entered.wait()
            return OK

        with Server(answer) as server, ThreadPoolExecutor(4) as pool:
            client = self.client_of(server)
            answers = list(pool.map(lambda _: client.get_health(), range(40)))
            self.assertEqual(answers, [{"ok": True}] * 40)
            self.assertEqual((server.requests, server.connections), (40, 4))

    def test_that_the_other_side_has_closed_are_replaced_before_a_question_is_sent(self):
        with Server(lambda _: OK) as server:
            client = self.client_of(server)
            client.get_health()
            server.close_connections()
            ((connection, _),) = client._transport._pool._idle
            connection.sock.settimeout(5)
            connection.sock.recv(1, socket.MSG_PEEK)
            self.assertEqual(client.get_health(), {"ok": True})
            self.assertEqual((server.requests, server.connections), (2, 2))

    def test_that_break_fail_their_question_which_is_not_sent_again(self):
        with Server(lambda number: OK if number == 1 else None) as server:
            client = self.client_of(server)
            client.get_health()
            with self.assertRaises(CeibaError):
                client.get_health()
            self.assertEqual(server.requests, 2)

    def test_with_more_bytes_than_the_answer_are_not_used_again(self):
        # All of it arrives with the answer, in the same segment.
        with Server(lambda _: OK + OK) as server:
            client = self.client_of(server)
            for _ in range(3):
                self.assertEqual(client.get_health(), {"ok": True})
            self.assertEqual((server.requests, server.connections), (3, 3))

    def test_end_where_the_server_says_so_and_where_the_answer_is_cut(self):
        closing = OK.replace(b"content-length", b"connection: close\r\ncontent-length")
        with Server(lambda _: closing) as server:
            client = self.client_of(server)
            self.assertEqual([client.get_health() for _ in range(2)], [{"ok": True}] * 2)
            self.assertEqual(server.connections, 2)
        cut = closing.replace(b"11", b"12")
        with Server(lambda _: cut) as server, self.assertRaises(CeibaError):
            self.client_of(server).get_health()

    def test_are_not_kept_after_the_deadline_or_for_too_long(self):
        release = threading.Event()

        def answer(number):
            if number == 1:
                release.wait(10)
            return OK

        with Server(answer) as server:
            client = self.client_of(server, timeout=0.2)
            with self.assertRaises(CeibaError):
                client.get_health()
            release.set()
            patient = self.client_of(server)
            patient.get_health()
            with mock.patch("ceiba.transport.IDLE_SECONDS_MAX", -1):
                patient.get_health()
            self.assertEqual(server.connections, 3)
            self.assertEqual(client._transport._pool._idle, [])

    def test_of_a_process_are_not_used_by_its_children(self):
        with Server(lambda _: OK) as server:
            client = self.client_of(server)
            client.get_health()
            with mock.patch("os.getpid", return_value=-1):
                self.assertEqual(client.get_health(), {"ok": True})
            self.assertEqual(server.connections, 2)


if __name__ == "__main__":
    unittest.main()

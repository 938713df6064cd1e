"""The client and the guards against a real Runtime, whose address and scenarios the caller passes on.

Run by tests/sdk/python.test.ts, with CEIBA_SCENARIOS as JSON.
"""

import asyncio
import contextlib
import http.client
import json
import os
import socket
import threading
import time
import unittest
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from socketserver import ThreadingMixIn
from wsgiref.simple_server import WSGIRequestHandler, WSGIServer, make_server

from ceiba import AsgiGuard, CeibaError, Client, WsgiGuard

GIVEN = json.loads(os.environ["CEIBA_SCENARIOS"])
RUNTIME = GIVEN["runtimeUrl"]
SCENARIOS = GIVEN["scenarios"]
PATH = "/v1/reports"


def client_of(scenario, url=RUNTIME, timeout=5.0, **changes):
    settings = {
        "runtime_base_url": url,
        "project_id": scenario["projectId"],
        "project_secret": scenario["secret"],
        "timeout": timeout,
    }
    return Client(**{**settings, **changes})


class Quiet(WSGIRequestHandler):
    def log_message(self, *_):
        pass


class Threaded(ThreadingMixIn, WSGIServer):
    daemon_threads = True


class WsgiHost:
    """A WSGI host behind the guard, on a real server."""

    def __init__(self, client):
        self.handled = []
        self.server = make_server("127.0.0.1", 0, WsgiGuard(self.app, client), Threaded, Quiet)
        threading.Thread(target=self.server.serve_forever, daemon=True).start()

    def app(self, environ, start_response):
        self.handled.append(environ["ceiba"])
        start_response("200 OK", [("content-type", "text/plain")])
        return [b"served"]

    def send(self, headers, path=PATH, method="GET"):
        connection = http.client.HTTPConnection("127.0.0.1", self.server.server_port, timeout=10)
        connection.putrequest(method, path)
        for name, value in headers:
            connection.putheader(name, value)
        connection.endheaders()
        answer = connection.getresponse()
        body = answer.read()
        connection.close()
        return answer.status, {k.lower(): v for k, v in answer.getheaders()}, body

    def close(self):
        self.server.shutdown()
        self.server.server_close()


class AsgiHost:
    """An ASGI host behind the guard, called as a server calls it."""

    def __init__(self, client):
        self.handled = []
        self.guard = AsgiGuard(self.app, client)

    async def app(self, scope, _receive, send):
        self.handled.append(scope["ceiba"])
        await send({"type": "http.response.start", "status": 200, "headers": []})
        await send({"type": "http.response.body", "body": b"served"})

    def call(self, scope):
        sent = []

        async def send(message):
            sent.append(message)

        asyncio.run(self.guard(scope, None, send))
        return sent

    def send(self, headers, path=PATH, method="GET"):
        raw = [(name.lower().encode(), value.encode()) for name, value in headers]
        sent = self.call({"type": "http", "method": method, "path": path, "headers": raw})
        values = {name.decode().lower(): value.decode() for name, value in sent[0]["headers"]}
        return sent[0]["status"], values, sent[1]["body"]

    def close(self):
        pass


class Impostor:
    """Something else than a Runtime at its address, which always sends the same answer."""

    def __init__(self, status, body, headers=()):
        class Handler(BaseHTTPRequestHandler):
            def do_GET(self):
                self.send_response(status)
                for name, value in headers:
                    self.send_header(name, value)
                self.send_header("content-length", str(len(body)))
                self.end_headers()
                self.wfile.write(body)

            def log_message(self, *_):
                pass

        self.server = ThreadingHTTPServer(("127.0.0.1", 0), Handler)
        threading.Thread(target=self.server.serve_forever, daemon=True).start()
        self.url = f"http://127.0.0.1:{self.server.server_port}"

    def close(self):
        self.server.shutdown()
        self.server.server_close()


class Dripping:
    """Sends an allow one byte at a time, so that no single read ever waits long."""

    def __init__(self, answer, pause):
        self.stopped = threading.Event()
        self.socket = socket.create_server(("127.0.0.1", 0))
        self.url = f"http://127.0.0.1:{self.socket.getsockname()[1]}"
        threading.Thread(target=self.serve, args=(answer, pause), daemon=True).start()

    def serve(self, answer, pause):
        connection, _ = self.socket.accept()
        with connection, contextlib.suppress(OSError):
            for byte in answer:
                if self.stopped.wait(pause):
                    return
                connection.sendall(bytes([byte]))

    def close(self):
        self.stopped.set()
        self.socket.close()


def key_of(scenario):
    return [] if scenario["apiKey"] is None else [("x-api-key", scenario["apiKey"])]


class GuardCases:
    """What both guards promise."""

    def ask(self, client, headers, **request):
        host = self.host(client)
        try:
            return (*host.send(headers, **request), host.handled)
        finally:
            host.close()

    def test_serves_an_allowed_request_and_says_who_called(self):
        scenario = SCENARIOS["allowed"]
        for headers in (key_of(scenario), [("Authorization", f"Bearer {scenario['apiKey']}")]):
            status, fields, body, handled = self.ask(client_of(scenario), headers)
            self.assertEqual((status, body), (200, b"served"))
            self.assertIn('"minute";r=', fields["ratelimit"])
            self.assertEqual(handled[0]["key_id"], scenario["apiKeyId"])
            self.assertEqual(handled[0]["project_id"], scenario["projectId"])

    def test_answers_every_denial_as_the_contract_says_and_runs_no_handler(self):
        for reason, expected in GIVEN["denials"].items():
            with self.subTest(reason):
                scenario = SCENARIOS[reason]
                path = scenario.get("path", PATH)
                status, fields, body, handled = self.ask(
                    client_of(scenario), key_of(scenario), path=path
                )
                self.assertEqual((status, handled), (expected["status"], []))
                self.assertEqual(json.loads(body)["error"], expected["error"])
                self.assertNotIn("x-ceiba-denial-reason", fields)
                self.assertEqual(fields["cache-control"], "no-store")
                self.assertEqual("retry-after" in fields, status == 429)

    def test_refuses_two_keys(self):
        scenario = SCENARIOS["allowed"]
        other = [("Authorization", "Bearer another")]
        self.assertEqual(self.ask(client_of(scenario), key_of(scenario) + other)[0], 401)
        twice = key_of(scenario) * 2
        self.assertEqual(self.ask(client_of(scenario), twice)[0], 401)

    def test_judges_the_path_that_the_router_sees(self):
        scenario = SCENARIOS["allowed"]
        for path, expected in ((f"{PATH}/../billing", 403), (f"{PATH}//x", 403), (f"{PATH};x", 403)):
            status, _, _, handled = self.ask(client_of(scenario), key_of(scenario), path=path)
            self.assertEqual((path, status, handled), (path, expected, []))

    def test_does_not_let_a_caller_name_another_request(self):
        scenario = SCENARIOS["allowed"]
        forged = [("X-Original-URI", PATH), ("X-Original-Method", "GET"), ("X-Forwarded-Uri", PATH)]
        status = self.ask(client_of(scenario), key_of(scenario) + forged, path="/v1/billing")[0]
        self.assertEqual(status, 403)

    def test_answers_503_without_a_verdict_and_runs_no_handler(self):
        scenario = SCENARIOS["allowed"]
        allow = b'{"allowed":true}'
        page = [("content-type", "text/html")]
        decided = [("x-ceiba-decision-id", "0199e0c0-0000-7000-8000-00000000d001")]
        impostors = [
            Impostor(200, b"<html>", page),
            Impostor(200, allow),
            Impostor(200, b'{"allowed":"true"}', decided),
            Impostor(200, b"[]", decided),
            Impostor(302, allow, [("location", f"{RUNTIME}/health"), *decided]),
            Impostor(401, b"{}", decided),
            Impostor(401, b"null", decided),
            Impostor(500, b"{}"),
            Impostor(401, b'{"error":"unauthorized","message":"No."}'),
        ]
        clients = [client_of(scenario, impostor.url) for impostor in impostors]
        clients.append(client_of(scenario, "http://127.0.0.1:1"))
        clients.append(client_of(scenario, project_secret="ceiba_secret_wrong"))
        for index, client in enumerate(clients):
            with self.subTest(index):
                status, _, body, handled = self.ask(client, key_of(scenario))
                self.assertEqual((status, handled), (503, []))
                self.assertEqual(json.loads(body)["error"], "service_unavailable")
        for impostor in impostors:
            impostor.close()

    def test_answers_503_at_the_deadline_however_slowly_the_answer_comes(self):
        head = b"HTTP/1.1 200 OK\r\nx-ceiba-decision-id: d\r\n"
        for answer in (head + b"x: " + b"y" * 200, head + b"\r\n" + b" " * 200):
            impostor = Dripping(answer, 0.05)
            began = time.monotonic()
            client = client_of(SCENARIOS["allowed"], impostor.url, timeout=0.5)
            status, _, _, handled = self.ask(client, key_of(SCENARIOS["allowed"]))
            self.assertEqual((status, handled), (503, []))
            self.assertLess(time.monotonic() - began, 5)
            impostor.close()

    def test_gives_a_head_request_no_body(self):
        status, _, body, _ = self.ask(client_of(SCENARIOS["allowed"]), [], method="HEAD")
        self.assertEqual((status, body), (401, b""))


class WsgiGuardTest(GuardCases, unittest.TestCase):
    host = WsgiHost


class AsgiGuardTest(GuardCases, unittest.TestCase):
    host = AsgiHost

    def test_closes_a_websocket_without_a_key(self):
        host = AsgiHost(client_of(SCENARIOS["allowed"]))
        sent = host.call({"type": "websocket", "path": PATH, "headers": []})
        self.assertEqual((sent, host.handled), ([{"type": "websocket.close", "code": 1008}], []))

    def test_refuses_a_scope_that_it_cannot_judge(self):
        host = AsgiHost(client_of(SCENARIOS["allowed"]))
        with self.assertRaises(ValueError):
            host.call({"type": "other", "path": PATH, "headers": []})


class ClientTest(unittest.TestCase):
    def test_asks_for_decisions_alone_and_in_a_batch(self):
        scenario = SCENARIOS["allowed"]
        client = client_of(scenario)
        question = {"apiKey": scenario["apiKey"], "method": "GET", "path": PATH}
        decision = client.authorize(question)
        self.assertTrue(decision["allowed"])
        results = client.authorize_batch({"requests": [question, {**question, "apiKey": None}]})
        reasons = [one["decision"].get("denialReason") for one in results["results"]]
        self.assertEqual(reasons, [None, "missing_api_key"])

    def test_manages_a_key(self):
        client = client_of(SCENARIOS["allowed"])
        key = client.create_api_key({"displayName": "Python"})
        api_key_id = key["apiKeyId"]
        self.assertTrue(key["plaintextKey"].startswith(key["keyPrefix"]))
        self.assertEqual(client.get_api_key(api_key_id)["status"], "active")
        self.assertIn(api_key_id, [one["apiKeyId"] for one in client.list_api_keys()["apiKeys"]])
        expiry = {"expiresAt": "2999-01-01T00:00:00Z"}
        changed = client.set_api_key_expiry(api_key_id, expiry)
        self.assertTrue(changed["expiresAt"].startswith("2999-01-01"))
        self.assertEqual(client.revoke_api_key(api_key_id)["status"], "revoked")
        with self.assertRaises(CeibaError) as raised:
            client.archive_api_key(api_key_id)
        self.assertEqual((raised.exception.status, raised.exception.body["error"]), (409, "conflict"))

    def test_reads_the_log_and_the_health(self):
        client = client_of(SCENARIOS["allowed"])
        self.assertIn("decisions", client.list_decisions(outcome="denied", limit="5"))
        self.assertEqual(client.get_health(), {"ok": True})
        self.assertEqual(client.get_open_api()["openapi"], "3.1.1")

    def test_raises_an_error_without_an_answer(self):
        client = client_of(SCENARIOS["allowed"], "http://127.0.0.1:1")
        with self.assertRaises(CeibaError) as raised:
            client.list_api_keys()
        self.assertIsNone(raised.exception.status)

    def test_refuses_settings_that_cannot_work_without_showing_the_secret(self):
        scenario = SCENARIOS["allowed"]
        for changes in (
            {"runtime_base_url": "runtime"},
            {"runtime_base_url": "http://runtime.example.com"},
            {"project_id": "7"},
            {"project_secret": f"{scenario['secret']}\n"},
        ):
            with self.subTest(list(changes)), self.assertRaises(ValueError) as raised:
                client_of(scenario, **changes)
            self.assertNotIn(scenario["secret"], str(raised.exception))

    def test_refuses_an_id_that_would_address_another_route(self):
        for api_key_id in ("", ".", ".."):
            with self.assertRaises(ValueError):
                client_of(SCENARIOS["allowed"]).get_api_key(api_key_id)


if __name__ == "__main__":
    unittest.main()

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
from unittest import mock
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from socketserver import ThreadingMixIn
from wsgiref.simple_server import WSGIRequestHandler, WSGIServer, make_server

from ceiba import AsgiGuard, CeibaConfigError, CeibaError, Client, WsgiGuard
from ceiba.testing import FakeClient, allow_decision, deny_decision

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

    def __init__(self, client, **options):
        self.handled = []
        guard = WsgiGuard(self.app, client, **options)
        self.server = make_server("127.0.0.1", 0, guard, Threaded, Quiet)
        threading.Thread(target=self.server.serve_forever, args=(0.02,), daemon=True).start()

    def app(self, environ, start_response):
        self.handled.append(environ.get("ceiba"))
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

    def __init__(self, client, **options):
        self.handled = []
        self.guard = AsgiGuard(self.app, client, **options)

    async def app(self, scope, _receive, send):
        self.handled.append(scope.get("ceiba"))
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
            def do_POST(self):
                self.rfile.read(int(self.headers["content-length"]))
                self.send_response(status)
                for name, value in headers:
                    self.send_header(name, value)
                self.send_header("content-length", str(len(body)))
                self.end_headers()
                self.wfile.write(body)

            def log_message(self, *_):
                pass

        self.server = ThreadingHTTPServer(("127.0.0.1", 0), Handler)
        threading.Thread(target=self.server.serve_forever, args=(0.02,), daemon=True).start()
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


def allow_of(scenario):
    return allow_decision(scenario["projectId"])


class GuardCases:
    """What both guards promise."""

    def ask(self, client, headers, options={}, **request):
        host = self.host(client, **options)
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
            access = handled[0]
            self.assertEqual(access["apiKey"]["apiKeyId"], scenario["apiKeyId"])
            self.assertTrue(scenario["apiKey"].startswith(access["apiKey"]["keyPrefix"]))
            self.assertEqual(access["projectId"], scenario["projectId"])
            self.assertEqual(access["plan"], scenario["plan"])
            self.assertEqual(access["policy"]["pathPattern"], "/v1/reports*")
            self.assertGreater(access["limits"]["remainingThisMonth"], 0)
            self.assertEqual(len(access["decisionId"]), 36)

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
        page = [("content-type", "text/html")]

        def changed(**changes):
            return json.dumps({**allow_of(scenario), **changes}).encode()

        impostors = [
            Impostor(200, b"<html>", page),
            Impostor(200, b'{"allowed":true}'),
            Impostor(200, changed(allowed="true")),
            Impostor(200, changed(allowed=1)),
            Impostor(200, changed(access={**allow_of(scenario)["access"], "plan": None})),
            Impostor(200, changed(access=allow_decision()["access"])),
            Impostor(200, changed(limits={**allow_of(scenario)["limits"], "monthlyQuota": "7"})),
            Impostor(200, changed(decisionId=None)),
            Impostor(200, b"[]"),
            Impostor(200, b'{"allowed":false}'),
            Impostor(302, changed(), [("location", f"{RUNTIME}/health")]),
            Impostor(401, changed()),
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
        head = b"HTTP/1.1 200 OK\r\n"
        for answer in (head + b"x: " + b"y" * 200, head + b"\r\n" + b" " * 200):
            impostor = Dripping(answer, 0.05)
            began = time.monotonic()
            client = client_of(SCENARIOS["allowed"], impostor.url, timeout=0.5)
            status, _, _, handled = self.ask(client, key_of(SCENARIOS["allowed"]))
            self.assertEqual((status, handled), (503, []))
            self.assertLess(time.monotonic() - began, 5)
            impostor.close()

    def test_lets_exempt_paths_and_those_outside_of_its_prefixes_through_without_a_question(self):
        cases = [
            ({"exempt": ["/health"]}, ["/health", "/health/"]),
            ({"exempt": ["/health", "/static*"]}, ["/static", "/static/a/b.css"]),
            ({"prefixes": ["/v1", "/v2"]}, ["/", "/health", "/v10", "/v1x/reports"]),
            ({"prefixes": ["/v1"], "exempt": ["/v1/status"]}, ["/v1/status"]),
        ]
        for options, paths in cases:
            for path in paths:
                client = FakeClient()
                status, _, body, handled = self.ask(client, [], options, path=path)
                self.assertEqual((path, status, handled, body), (path, 200, [None], b"served"))
                self.assertEqual(client.questions, [])

    def test_judges_every_path_that_a_router_may_read_as_another(self):
        options = {"prefixes": ["/v1"], "exempt": ["/v1/status", "/v1/static*"]}
        for path in (
            "/v1",
            "/V1/reports",
            "//v1/reports",
            "/x/../v1/reports",
            "/./v1/reports",
            "/v1;x/reports",
            "/x\\v1/reports",
            "/v1/static/../reports",
            "/v1/static//x",
            "/v1/statusx",
            "/v1/status/x",
            "/V1/status",
            "/v1/staticx",
            "/v1/status;x",
        ):
            client = FakeClient()
            status, _, _, handled = self.ask(client, [], options, path=path)
            self.assertEqual((path, status, handled), (path, 401, []))
            # http.server, below the WSGI host, makes one slash of several at the beginning.
            self.assertIn(client.questions[0]["path"], (path, f"/{path.lstrip('/')}"))

    def test_refuses_paths_that_cannot_be_meant(self):
        for options, setting in (
            ({"prefixes": "/v1"}, "prefixes"),
            ({"prefixes": []}, "prefixes"),
            ({"prefixes": ["v1"]}, "prefixes"),
            ({"exempt": "/health"}, "exempt"),
            ({"exempt": ["/*"]}, "exempt"),
            ({"exempt": ["*"]}, "exempt"),
            ({"exempt": ["/a/../b"]}, "exempt"),
        ):
            with self.subTest(options), self.assertRaises(CeibaConfigError) as raised:
                self.host(FakeClient(), **options)
            self.assertEqual(raised.exception.setting, setting)

    def test_asks_once_for_a_request_with_two_guards_and_again_for_another_client(self):
        key = [("x-api-key", "good")]
        client, other = FakeClient({"good": "allow"}), FakeClient({"good": "allow"})
        for inner, expected in ((client, 1), (other, 2)):
            client.questions.clear()
            host = self.host(client)
            outer = self.guard_of(host)
            outer._app = type(outer)(outer._app, inner)
            status, fields, _ = host.send(key)
            host.close()
            self.assertEqual((status, len(host.handled)), (200, 1))
            self.assertEqual(len(client.questions) + len(other.questions), expected)
            self.assertEqual(fields["ratelimit"].count("minute"), 1)

    def test_answers_from_the_fake_client_as_from_a_runtime(self):
        for reason, expected in GIVEN["denials"].items():
            headers = [] if reason == "missing_api_key" else [("x-api-key", "key")]
            status, fields, body, handled = self.ask(FakeClient({"key": reason}), headers)
            self.assertEqual((reason, status, handled), (reason, expected["status"], []))
            self.assertEqual(json.loads(body)["error"], expected["error"])
            self.assertEqual("retry-after" in fields, status == 429)
            self.assertEqual(fields.get("www-authenticate"), "Bearer" if status == 401 else None)
        for verdict, expected in (("unavailable", 503), ("a_reason_of_tomorrow", 403)):
            self.assertEqual(self.ask(FakeClient({"key": verdict}), [("x-api-key", "key")])[0], expected)
        with mock.patch("ceiba.judging.log.warning") as warning:
            self.ask(FakeClient({"key": "unavailable"}), [("x-api-key", "key")])
            warning.assert_not_called()
        decision = deny_decision("rate_limited")
        fields = self.ask(FakeClient({"key": decision}), [("x-api-key", "key")])[1]
        self.assertEqual(fields["ratelimit"], '"minute";r=0;t=30')
        self.assertEqual(fields["ratelimit-policy"], '"minute";q=60;w=60, "month";q=10000')

    def test_names_the_day_where_a_daily_quota_applies(self):
        decision = allow_decision()
        decision["limits"].update(dailyQuota=500, remainingToday=499)
        decision["resetAfterSeconds"]["day"] = 3_600
        fields = self.ask(FakeClient({"key": decision}), [("x-api-key", "key")])[1]
        self.assertEqual(
            fields["ratelimit"], '"minute";r=59;t=30, "day";r=499;t=3600, "month";r=9999;t=86400'
        )
        self.assertEqual(
            fields["ratelimit-policy"], '"minute";q=60;w=60, "day";q=500;w=86400, "month";q=10000'
        )
        denial = deny_decision("quota_exceeded")
        denial["exceededLimit"].update(window="day", value=500)
        denial["limits"].update(dailyQuota=500, remainingToday=3)
        fields = self.ask(FakeClient({"key": denial}), [("x-api-key", "key")])[1]
        self.assertEqual(fields["ratelimit"], '"day";r=3;t=30')
        denial["exceededLimit"]["window"] = "fortnight"
        fields = self.ask(FakeClient({"key": denial}), [("x-api-key", "key")])[1]
        self.assertEqual(fields["ratelimit"], '"month";r=0;t=30')

    def test_takes_an_allow_with_a_customer_and_none_with_a_malformed_one(self):
        customer = {"customerId": "c", "externalId": "acme", "plan": None}
        for change, expected in (
            ({"customer": customer}, 200),
            ({"customer": {**customer, "plan": {"planId": "p", "name": "Gold"}}}, 200),
            ({"customer": {**customer, "plan": {"planId": "p"}}}, 503),
            ({"customer": {**customer, "externalId": 7}}, 503),
            ({"customer": None}, 503),
        ):
            decision = allow_decision()
            decision["access"].update(change)
            status, _, _, handled = self.ask(FakeClient({"key": decision}), [("x-api-key", "key")])
            self.assertEqual((change, status), (change, expected))
            if expected == 200:
                self.assertEqual(handled[0]["customer"], change["customer"])
        for scopes, expected in (([], 200), (["read"], 200), ("read", 503), ([7], 503), (None, 503)):
            decision = allow_decision()
            decision["access"]["apiKey"]["scopes"] = scopes
            status = self.ask(FakeClient({"key": decision}), [("x-api-key", "key")])[0]
            self.assertEqual((scopes, status), (scopes, expected))

    def test_names_the_customer_of_a_key_in_tests_of_a_host(self):
        client = FakeClient({"good": "allow", "other": "allow"}, customers={"good": "acme"})
        handled = self.ask(client, [("x-api-key", "good")])[3]
        self.assertEqual(handled[0]["customer"]["externalId"], "acme")
        self.assertNotIn("customer", self.ask(client, [("x-api-key", "other")])[3][0])

    def test_charges_the_cost_that_the_host_says(self):
        key = [("x-api-key", "good")]
        for cost, expected in ((25, 25), (0, 0), (lambda request: len(request), None)):
            client = FakeClient({"good": "allow"})
            self.assertEqual(self.ask(client, key, {"cost": cost})[0], 200)
            asked = client.questions[0]["cost"]
            self.assertTrue(asked == expected if expected is not None else asked > 3)
        client = FakeClient({"good": "allow"})
        self.ask(client, key)
        self.assertNotIn("cost", client.questions[0])
        for wrong in (-1, 1.5, True, "5", 1_000_001):
            client = FakeClient({"good": "allow"})
            with self.assertRaises(CeibaConfigError):
                self.ask(client, key, {"cost": wrong})
            for returned in (wrong, None):
                status, _, _, handled = self.ask(client, key, {"cost": lambda _: returned})
                self.assertEqual((status, handled, client.questions), (503, [], []))

    def test_gives_a_head_request_no_body(self):
        status, _, body, _ = self.ask(client_of(SCENARIOS["allowed"]), [], method="HEAD")
        self.assertEqual((status, body), (401, b""))


class WsgiGuardTest(GuardCases, unittest.TestCase):
    host = WsgiHost

    def guard_of(self, host):
        return host.server.get_app()

    def judged(self, environ, server_root="", **options):
        """The path of the question about a request; None if the application got it unasked."""
        client = FakeClient()
        app = WsgiGuard(lambda *_: [], client, **options)
        with mock.patch.dict(os.environ, {"SCRIPT_NAME": server_root}):
            app({"REQUEST_METHOD": "GET", **environ}, lambda *_: None)
        return client.questions[0]["path"] if client.questions else None

    def test_lets_no_caller_move_a_part_of_the_path_into_the_root_path(self):
        # As gunicorn gives a caller's header SCRIPT_NAME to the application.
        def of_caller(root, path):
            return {"SCRIPT_NAME": root, "HTTP_SCRIPT_NAME": root, "PATH_INFO": path}

        exempt, prefixes = {"exempt": ["/static*"]}, {"prefixes": ["/v1"]}
        for options in ({}, exempt, prefixes):
            for server_root in ("", "/api"):
                judged = self.judged(of_caller("/static", "/v1/admin"), server_root, **options)
                self.assertEqual(judged, "/static///v1/admin")
        self.assertEqual(self.judged(of_caller("/api/v1", "/admin"), "/api"), "/api/v1///admin")
        self.assertEqual(self.judged(of_caller("/x", "")), "/x//")
        # Where a dispatcher has moved the part, the header changes nothing that is served.
        header = {"HTTP_SCRIPT_NAME": "/v1"}
        of_dispatcher = {"SCRIPT_NAME": "/v1", "PATH_INFO": "/admin", **header}
        self.assertEqual(self.judged(of_dispatcher), "/v1///admin")
        self.assertEqual(self.judged({"SCRIPT_NAME": "", "PATH_INFO": "/v1/admin", **header}), "/v1/admin")

    def test_judges_the_path_below_the_root_path_of_the_server(self):
        prefixes = {"prefixes": ["/v1"]}
        below = {"SCRIPT_NAME": "/api", "PATH_INFO": "/v1/reports"}
        for header in ({}, {"HTTP_SCRIPT_NAME": "/api"}):
            self.assertEqual(self.judged({**below, **header}, "/api", **prefixes), "/v1/reports")
        mounted = {"SCRIPT_NAME": "/api/v1", "PATH_INFO": "/reports"}
        self.assertEqual(self.judged(mounted, "/api", **prefixes), "/v1/reports")
        self.assertEqual(self.judged({**below, "SCRIPT_NAME": "/apiv1"}, "/api"), "/apiv1/v1/reports")
        # Of a server that has it from elsewhere, such as mod_wsgi: not open either.
        self.assertEqual(self.judged(below, **prefixes), "/api/v1/reports")

    def test_lets_a_path_below_a_mount_through_only_where_it_is_exempt_in_both_readings(self):
        mounted = {"SCRIPT_NAME": "/v1", "PATH_INFO": "/health"}
        self.assertIsNone(self.judged(mounted, exempt=["/v1/health", "/health"]))
        for exempt in (["/v1/health"], ["/health"], ["/v1*"]):
            self.assertEqual(self.judged(mounted, exempt=exempt), "/v1/health")

    def test_judges_the_whole_path_below_a_dispatcher(self):
        client = FakeClient()
        environ = {"REQUEST_METHOD": "GET", "SCRIPT_NAME": "/v1", "PATH_INFO": "/caf\u00c3\u00a9"}
        WsgiGuard(None, client)(environ, lambda *_: None)
        self.assertEqual(client.questions[0]["path"], "/v1/caf%C3%A9")


class AsgiGuardTest(GuardCases, unittest.TestCase):
    host = AsgiHost

    def guard_of(self, host):
        return host.guard

    def test_asks_for_32_requests_at_once_whatever_the_processors(self):
        meeting = threading.Barrier(32)

        class Meeting(FakeClient):
            def authorize(self, body):
                meeting.wait(30)
                return super().authorize(body)

        self.assertEqual(self.statuses_of(Meeting({"good": "allow"}), 32), [200] * 32)

    def test_asks_nothing_that_waits_for_others_until_the_deadline(self):
        client = FakeClient({"good": "allow"})
        client.timeout = 0
        self.assertEqual((self.statuses_of(client, 2), client.questions), ([503, 503], []))

    def statuses_of(self, client, count):
        statuses = []

        async def send(message):
            if message["type"] == "http.response.start":
                statuses.append(message["status"])

        async def ask():
            guard = AsgiHost(client).guard
            scope = {"type": "http", "method": "GET", "path": PATH, "headers": [(b"x-api-key", b"good")]}
            await asyncio.gather(*(guard(dict(scope), None, send) for _ in range(count)))

        asyncio.run(ask())
        return statuses

    def test_closes_a_websocket_without_a_key(self):
        host = AsgiHost(client_of(SCENARIOS["allowed"]))
        sent = host.call({"type": "websocket", "path": PATH, "headers": []})
        self.assertEqual((sent, host.handled), ([{"type": "websocket.close", "code": 1008}], []))

    def test_gives_a_websocket_the_status_of_a_denial_where_the_server_can(self):
        for verdict, status in (("invalid_api_key", 401), ("rate_limited", 429), ("unavailable", 503)):
            host = AsgiHost(FakeClient({"key": verdict}))
            start, body = host.call(
                {
                    "type": "websocket",
                    "path": PATH,
                    "headers": [(b"x-api-key", b"key")],
                    "extensions": {"websocket.http.response": {}},
                }
            )
            self.assertEqual(start["type"], "websocket.http.response.start")
            self.assertEqual((start["status"], host.handled), (status, []))
            self.assertIn((b"cache-control", b"no-store"), start["headers"])
            self.assertEqual(body["type"], "websocket.http.response.body")
            self.assertIn("error", json.loads(body["body"]))

    def test_judges_the_path_that_the_router_sees_below_a_root_path_and_a_mount(self):
        of_server = {"root_path": "/api"}
        of_mount = {"root_path": "/api/v1", "app_root_path": "/api"}
        cases = [
            (True, of_server, "/api/v1/reports", "/v1/reports"),
            (True, of_server, "/v1/reports", "/v1/reports"),
            (True, of_server, "/apiv1", "/apiv1"),
            (True, of_mount, "/api/v1/reports", "/v1/reports"),
            (True, {"root_path": "/v1", "app_root_path": ""}, "/v1/v1/x", "/v1/v1/x"),
            (False, of_server, "/v1/reports", "/v1/reports"),
            (False, of_server, "/api/v1/reports", "/api/v1/reports"),
            (False, of_mount, "/reports", "/v1/reports"),
            (False, {"root_path": "/v1", "app_root_path": ""}, "/v1/x", "/v1/v1/x"),
        ]
        for has_root, scope, path, expected in cases:
            client = FakeClient()
            host = AsgiHost(client)
            with mock.patch("ceiba.asgi._path_has_root", return_value=has_root):
                host.call({"type": "http", "method": "GET", "path": path, "headers": [], **scope})
            self.assertEqual(client.questions[0]["path"], expected, (has_root, scope, path))

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
        changed = client.update_api_key(api_key_id, expiry)
        self.assertTrue(changed["expiresAt"].startswith("2999-01-01"))
        self.assertEqual(client.revoke_api_key(api_key_id)["status"], "revoked")
        with self.assertRaises(CeibaError) as raised:
            client.archive_api_key(api_key_id)
        self.assertEqual((raised.exception.status, raised.exception.body["error"]), (409, "conflict"))

    def test_reads_each_key_of_a_query_page_by_page(self):
        client = client_of(SCENARIOS["allowed"])
        name = f"Paged {time.time_ns()}"
        created = [
            client.create_api_key({"displayName": name, "metadata": {"team": team}})["apiKeyId"]
            for team in ("paged", "paged", "other", "paged")
        ]
        client.revoke_api_key(created[0])
        query = {"metadata": {"team": "paged"}, "search": name, "status": "active"}
        found = [key["apiKeyId"] for key in client.each_api_key(**query, page_size=1)]
        self.assertEqual(found, [created[3], created[1]])

    def test_reads_the_log_and_the_health(self):
        client = client_of(SCENARIOS["allowed"])
        denied = client.authorize({"apiKey": "unknown", "method": "GET", "path": PATH})
        # The log is written once a second.
        gives_up_at = time.monotonic() + 20
        logged = []
        while not logged and time.monotonic() < gives_up_at:
            page = client.list_decisions(outcome="denied")
            ids = [each["decisionId"] for each in page["decisions"]]
            logged = [each for each in ids if each == denied["decisionId"]]
            time.sleep(0.05)
        self.assertEqual(logged, [denied["decisionId"]])
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
            {"project_secret": scenario["apiKey"]},
            {"runtime_base_url": "http://127.0.0.1:port"},
            {"timeout": 0},
            {"timeout": "1"},
        ):
            with self.subTest(list(changes)), self.assertRaises(CeibaConfigError) as raised:
                client_of(scenario, **changes)
            self.assertEqual(raised.exception.setting, next(iter(changes)))
            self.assertNotIn(scenario["secret"], str(raised.exception))

    def test_names_the_setting_and_the_variable_that_are_missing(self):
        given = {"runtime_base_url": RUNTIME, "project_id": SCENARIOS["allowed"]["projectId"]}
        for settings, setting, variable in (
            ({}, "runtime_base_url", "CEIBA_RUNTIME_URL"),
            ({"runtime_base_url": RUNTIME}, "project_id", "CEIBA_PROJECT_ID"),
            ({"runtime_base_url": RUNTIME, "project_id": ""}, "project_id", "CEIBA_PROJECT_ID"),
            (given, "project_secret", "CEIBA_PROJECT_SECRET"),
            ({**given, "project_secret": None}, "project_secret", "CEIBA_PROJECT_SECRET"),
        ):
            with self.assertRaises(CeibaConfigError) as raised:
                Client(**settings)
            self.assertRegex(str(raised.exception), f"^{setting} is missing: set {variable}")

    def test_says_what_to_check_where_the_secret_is_wrong(self):
        with self.assertRaises(CeibaError) as raised:
            client_of(SCENARIOS["allowed"], project_secret="ceiba_secret_wrong").list_api_keys()
        self.assertIn("project_id or project_secret is wrong", str(raised.exception))

    def test_refuses_an_id_that_would_address_another_route(self):
        for api_key_id in ("", ".", ".."):
            with self.assertRaises(ValueError):
                client_of(SCENARIOS["allowed"]).get_api_key(api_key_id)


if __name__ == "__main__":
    unittest.main()

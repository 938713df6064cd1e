"""The guards inside FastAPI, Starlette and Flask, on real servers. Needs these packages.

Run by tests/sdk/python.test.ts.
"""

import asyncio
import http.client
import json
import threading
import unittest
from wsgiref.simple_server import WSGIRequestHandler, make_server

import uvicorn
import websockets
from fastapi import APIRouter, Depends, FastAPI, HTTPException, WebSocket
from flask import Blueprint, Flask, g
from starlette.applications import Starlette
from starlette.responses import JSONResponse, StreamingResponse
from starlette.routing import Mount, Route

from ceiba import AsgiGuard, WsgiGuard
from ceiba.fastapi import access_dependency, register_replies
from ceiba.flask import access_required
from ceiba.testing import FakeClient

VERDICTS = {"good": "allow", "busy": "rate_limited", "down": "unavailable", "lapsed": "policy_no_match"}


class Quiet(WSGIRequestHandler):
    def log_message(self, *_):
        pass


class AsgiServer:
    def __init__(self, app, **options):
        config = uvicorn.Config(app, port=0, log_level="error", **options)
        self._server = uvicorn.Server(config)
        ready = threading.Event()

        async def serve():
            task = asyncio.ensure_future(self._server.serve())
            while not self._server.started:
                await asyncio.sleep(0)
            self.port = self._server.servers[0].sockets[0].getsockname()[1]
            ready.set()
            await task

        self._thread = threading.Thread(target=lambda: asyncio.run(serve()), daemon=True)
        self._thread.start()
        if not ready.wait(30):
            raise RuntimeError("the server does not listen")

    def __enter__(self):
        return self

    def __exit__(self, *_):
        self._server.should_exit = True
        self._thread.join(30)


class WsgiServer:
    def __init__(self, app):
        self._server = make_server("127.0.0.1", 0, app, handler_class=Quiet)
        self.port = self._server.server_port
        threading.Thread(target=self._server.serve_forever, args=(0.02,), daemon=True).start()

    def __enter__(self):
        return self

    def __exit__(self, *_):
        self._server.shutdown()
        self._server.server_close()


def get(server, path, key=None):
    connection = http.client.HTTPConnection("127.0.0.1", server.port, timeout=10)
    connection.request("GET", path, headers={} if key is None else {"x-api-key": key})
    answer = connection.getresponse()
    body = json.loads(answer.read())
    connection.close()
    return answer.status, {k.lower(): v for k, v in answer.getheaders()}, body


def raising(error):
    raise error


class FrameworkCases:
    """What the dependency and the decorator promise."""

    def test_serves_an_allowed_request_with_its_access(self):
        client = FakeClient(VERDICTS)
        with self.server(client) as server:
            status, fields, body = get(server, "/v1/reports/7", "good")
        self.assertEqual((status, body), (200, {"caller": "Fake key", "left": 9_999}))
        self.assertEqual(fields["ratelimit"], '"minute";r=59;t=30, "month";r=9999;t=86400')
        self.assertEqual([one["path"] for one in client.questions], ["/v1/reports/7"])

    def test_answers_a_denial_as_every_host_and_leaves_other_routes_open(self):
        client = FakeClient(VERDICTS)
        with self.server(client) as server:
            self.assertEqual(get(server, "/health")[0], 200)
            self.assertEqual(client.questions, [])
            for key, expected, error in (
                (None, 401, "service_unauthorized"),
                ("other", 401, "service_unauthorized"),
                ("lapsed", 403, "service_forbidden"),
                ("busy", 429, "service_rate_limited"),
                ("down", 503, "service_unavailable"),
            ):
                status, fields, body = get(server, "/v1/reports/7", key)
                self.assertEqual((status, body["error"], sorted(body)), (expected, error, ["error", "message"]))
                self.assertEqual(fields["cache-control"], "no-store")
                self.assertEqual("retry-after" in fields, expected == 429)
                self.assertEqual("www-authenticate" in fields, expected == 401)

    def test_asks_once_behind_a_guard_of_the_same_client(self):
        client = FakeClient(VERDICTS)
        with self.server(client, is_guarded=True) as server:
            status, fields, _ = get(server, "/v1/reports/7", "good")
        self.assertEqual((status, len(client.questions)), (200, 1))
        self.assertEqual(fields["ratelimit"].count("minute"), 1)

    def test_denies_an_empty_parameter_which_the_policy_names_as_its_parent(self):
        client = FakeClient(VERDICTS)
        with self.server(client) as server:
            self.assertEqual(get(server, "/v1/files/a", "good")[0], 200)
            self.assertIn(get(server, "/v1/files/", "good")[0], (403, 404))


def fastapi_app(client):
    access = access_dependency(client)
    app = FastAPI()
    register_replies(app)
    reports = APIRouter(prefix="/v1")

    @reports.get("/reports/{report_id}")
    async def report(report_id: str, who=Depends(access)):
        return {"caller": who["apiKey"]["displayName"], "left": who["limits"]["remainingThisMonth"]}

    @reports.get("/files/{name:path}", dependencies=[Depends(access), Depends(access)])
    async def file(name: str):
        return {"name": name}

    @app.get("/health")
    async def health():
        return {"ok": True}

    @app.websocket("/v1/chat")
    async def chat(socket: WebSocket, who=Depends(access)):
        await socket.accept()
        await socket.send_json(who["apiKey"]["displayName"])
        await socket.close()

    app.include_router(reports)
    return app


class FastApiTest(FrameworkCases, unittest.TestCase):
    def server(self, client, is_guarded=False):
        app = fastapi_app(client)
        if is_guarded:
            app.add_middleware(AsgiGuard, client=client, prefixes=["/v1"])
        return AsgiServer(app)

    def test_opens_no_websocket_without_an_allow(self):
        async def first_message(port, key):
            address = f"ws://127.0.0.1:{port}/v1/chat"
            async with websockets.connect(address, extra_headers={"x-api-key": key}) as connection:
                return await connection.recv()

        client = FakeClient(VERDICTS)
        for is_guarded in (False, True):
            with self.server(client, is_guarded) as server:
                self.assertEqual(asyncio.run(first_message(server.port, "good")), '"Fake key"')
                with self.assertRaises(websockets.exceptions.InvalidStatusCode):
                    asyncio.run(first_message(server.port, "other"))

    def test_gives_an_allowed_request_its_headers_whatever_the_handler_answers_with(self):
        answers = {
            "response": lambda: JSONResponse({}, 202, {"ratelimit": "its own", "x-own": "kept"}),
            "stream": lambda: StreamingResponse(iter(["{}"]), 203),
            "error": lambda: raising(HTTPException(418)),
        }
        client = FakeClient(VERDICTS)
        app = fastapi_app(client)
        inner = FastAPI()
        for host, path in ((app, "/v1/by"), (inner, "/by")):
            host.get(path + "/{name}", dependencies=[Depends(access_dependency(client))])(
                lambda name: answers[name]()
            )
        app.mount("/mounted", inner)
        with AsgiServer(app) as server:
            for path in ("/v1/by", "/mounted/by"):
                for name, status in (("response", 202), ("stream", 203), ("error", 418)):
                    found, fields, _ = get(server, f"{path}/{name}", "good")
                    self.assertEqual(found, status)
                    self.assertEqual(fields["ratelimit"], '"minute";r=59;t=30, "month";r=9999;t=86400')
                    self.assertEqual(fields["ratelimit-policy"], '"minute";q=60;w=60, "month";q=10000')
                    self.assertEqual(fields.get("x-own"), "kept" if name == "response" else None)
            self.assertNotIn("ratelimit", get(server, "/health", "good")[1])

    def test_gives_a_denial_no_headers_of_an_allow_before_it(self):
        app = FastAPI()
        register_replies(app)
        clients = FakeClient({"good": "allow"}), FakeClient({"good": "quota_exceeded"})
        app.get("/v1", dependencies=[Depends(access_dependency(client)) for client in clients])(lambda: {})
        with AsgiServer(app) as server:
            status, fields, _ = get(server, "/v1", "good")
        self.assertEqual(status, 429)
        self.assertEqual(fields["ratelimit"].split(";r=")[0], '"month"')

    def test_is_closed_without_the_registered_replies(self):
        app = FastAPI()
        app.get("/v1", dependencies=[Depends(access_dependency(FakeClient(VERDICTS)))])(lambda: {})
        with AsgiServer(app) as server:
            self.assertEqual([get(server, "/v1", key)[0] for key in (None, "down", "good")], [401, 503, 200])

    def test_judges_the_path_of_the_router_with_a_root_path_and_below_a_mount(self):
        async def served(request):
            return JSONResponse({"path": request.scope["path"]})

        inner = Starlette(routes=[Route("/reports", served)])
        for options in ({}, {"root_path": "/api"}):
            for position in ("outside", "below the mount"):
                client = FakeClient(VERDICTS)
                guard = AsgiGuard(inner, client) if position == "below the mount" else inner
                app = Starlette(routes=[Mount("/v1", app=guard)])
                if position == "outside":
                    app.add_middleware(AsgiGuard, client=client)
                with AsgiServer(app, **options) as server:
                    self.assertEqual(get(server, "/v1/reports", "good")[0], 200)
                self.assertEqual([one["path"] for one in client.questions], ["/v1/reports"], (options, position))


class FlaskTest(FrameworkCases, unittest.TestCase):
    def test_allows_an_empty_parameter_that_is_the_default_of_its_route(self):
        app = Flask(__name__)

        @app.get("/v1/", defaults={"path": ""})
        @app.get("/v1/<path:path>")
        @access_required(FakeClient(VERDICTS))
        def page(path):
            return path

        for target in ("/v1/", "/v1/a"):
            answer = app.test_client().get(target, headers={"x-api-key": "good"})
            self.assertEqual(answer.status_code, 200)

    def server(self, client, is_guarded=False):
        protected = access_required(client)
        app = Flask(__name__)
        reports = Blueprint("reports", __name__, url_prefix="/v1")

        @reports.get("/reports/<report_id>")
        @protected
        def report(report_id):
            return {
                "caller": g.ceiba["apiKey"]["displayName"],
                "left": g.ceiba["limits"]["remainingThisMonth"],
            }

        @reports.get("/files/<path:name>")
        @protected
        @protected
        def file(name):
            return {"name": name}

        @app.get("/health")
        def health():
            return {"ok": True}

        @app.errorhandler(404)
        def missing(_error):
            return {"error": "not_found"}, 404

        app.register_blueprint(reports)
        if is_guarded:
            app.wsgi_app = WsgiGuard(app.wsgi_app, client, exempt=["/health"])
        return WsgiServer(app)


if __name__ == "__main__":
    unittest.main()

"""Serves the applications of the README, and prints what they answer. Run by tests/sdk/python.test.ts."""

import json

import fastapi_app
import flask_app

from tests.frameworks_test import AsgiServer, WsgiServer, get

answers = {}
for name, serve, app in (("fastapi", AsgiServer, fastapi_app.app), ("flask", WsgiServer, flask_app.app)):
    with serve(app) as server:
        calls = [("/health", None), ("/v1/reports", "good"), ("/v1/reports", "other")]
        answers[name] = [(path, key, *get(server, path, key)[::2]) for path, key in calls]
print(json.dumps(answers))

"""A decorator for the views of Flask."""

from __future__ import annotations

from functools import wraps
from typing import Any, Callable, Optional, TypeVar

from flask import Request, Response, after_this_request, current_app, g, request

from .client import AuthorizeClient
from .guard import wsgi_question
from .judging import VERDICTS, Cost, judge, refusal

View = TypeVar("View", bound=Callable[..., Any])


def access_required(
    client: AuthorizeClient, *, cost: Optional[Cost[Request]] = None
) -> Callable[[View], View]:
    """Guards a view: put it below `@app.get(…)`. The view finds the `Access` of the request in
    `flask.g.ceiba`. Behind a `WsgiGuard` with the same client nothing is charged twice.

    :param cost: what a request takes of quotas, in place of its policy's cost, or what says it of the
        request
    """

    def decorate(view: View) -> View:
        @wraps(view)
        def guarded(*args: Any, **kwargs: Any) -> Any:
            verdicts = request.environ.setdefault(VERDICTS, {})
            # The policy names `/files`; a router may serve `/files/` as the file with an empty name.
            rule = request.url_rule
            own = rule.defaults if rule is not None and rule.defaults else {}
            if any(value == "" and name not in own for name, value in kwargs.items()):
                verdict = refusal("policy_no_match")
            else:
                question = wsgi_question(request.environ)
                verdict = judge(client, question, verdicts, cost, request)
            if verdict.access is None:
                return Response(verdict.body, verdict.status, verdict.headers)
            g.ceiba = request.environ["ceiba"] = verdict.access

            @after_this_request
            def add_headers(response: Response) -> Response:
                for name, value in verdict.headers:
                    response.headers[name] = value
                return response

            return current_app.ensure_sync(view)(*args, **kwargs)

        return guarded  # type: ignore[return-value]

    return decorate

"""What all guards share: which requests are judged, the question, and the reply to a denial.

A request proceeds only after an allow. Whatever is not exactly a decision becomes a 503.
"""

from __future__ import annotations

import json
import logging
import re
from functools import lru_cache
from typing import (
    Any,
    Callable,
    Dict,
    Iterable,
    List,
    Mapping,
    MutableMapping,
    NamedTuple,
    Optional,
    Tuple,
    TypeVar,
    Union,
    cast,
    get_args,
    get_origin,
    get_type_hints,
)
from urllib.parse import quote

from .client import AuthorizeClient
from .operations import HOST_REPLIES, AccessContext, HostReplyRule, Limits
from .settings import CeibaConfigError
from .transport import Headers

log = logging.getLogger("ceiba")

#: Where a request keeps its verdicts, in an environ or a scope, so that it is charged once.
VERDICTS = "ceiba.verdicts"
# Left as they are, so that the Runtime sees what the router sees and refuses what is ambiguous.
RAW = "/!$&'()*+,;=:@~\\[]|{}^`<>\""
BEARER = re.compile(r"bearer(?:[ \t]+|$)", re.IGNORECASE)
CREDENTIAL_HEADERS = ("authorization", "x-api-key")
COST_MAX = 1_000_000

Request = TypeVar("Request")
#: What a request takes of quotas, in place of the cost of its policy, or what says it of a request.
Cost = Union[int, Callable[[Request], int]]


class Access(AccessContext):
    """Who called, and what is left: `environ["ceiba"]` and `scope["ceiba"]`."""

    decisionId: str
    limits: Limits


class Question(NamedTuple):
    method: str
    #: As the router sees it, with what a path cannot hold escaped.
    path: str
    api_key: Optional[str]
    #: Two different keys: it is unknown which customer sent the request.
    is_conflicting: bool = False


class Verdict(NamedTuple):
    #: None if the request must not proceed.
    access: Optional[Access]
    status: int
    #: For the reply of the handler, or for that of the guard.
    headers: Headers
    #: The reply to a denial.
    body: bytes


class Coverage:
    """Which paths a guard judges: all below `prefixes` but those of `exempt`.

    :param prefixes: such as `/v1`, which covers `/v1` and all below it
    :param exempt: such as `/health`, that path alone, or `/static*`, with all below it
    :raises CeibaConfigError: for one that is no path, or where nothing would be judged
    """

    # Routers agree about such a path. One with other characters, an empty segment or a dot segment is
    # always judged: a router may read it as a path that is covered.
    PLAIN = re.compile(r"(?:/(?!\.{1,2}(?:/|$))[A-Za-z0-9._~@:+,=$!-]+)*/?")

    def __init__(self, prefixes: Iterable[str], exempt: Iterable[str]) -> None:
        self._prefixes = [self._path("prefixes", one).lower() for one in _listed("prefixes", prefixes)]
        if not self._prefixes:
            raise CeibaConfigError("prefixes", "must have at least one path")
        patterns = _listed("exempt", exempt)
        self._exempt = {self._path("exempt", one) for one in patterns if not one.endswith("*")}
        self._exempt_below = [self._path("exempt", one[:-1]) for one in patterns if one.endswith("*")]
        if "" in self._exempt_below:
            raise CeibaConfigError("exempt", "must not have /*, which leaves nothing to judge")

    def _path(self, setting: str, text: str) -> str:
        if not text.startswith("/") or not self.PLAIN.fullmatch(text):
            raise CeibaConfigError(setting, f"must have paths such as /v1; {text!r} is none")
        return text.rstrip("/")

    def covers(self, path: str) -> bool:
        if not self.PLAIN.fullmatch(path):
            return True
        whole = path.rstrip("/")
        if whole in self._exempt or any(_is_within(whole, base) for base in self._exempt_below):
            return False
        return any(_is_within(whole.lower(), prefix) for prefix in self._prefixes)


def _listed(setting: str, paths: Iterable[str]) -> List[str]:
    if isinstance(paths, str):
        raise CeibaConfigError(setting, "must be a list of paths")
    return list(paths)


def _is_within(path: str, base: str) -> bool:
    return path == base or path.startswith(f"{base}/")


def question_of(method: str, path: bytes, headers: Iterable[Tuple[str, str]]) -> Question:
    """
    :param path: as the router sees it, decoded
    :param headers: all headers that may hold a credential, names in lower case
    """
    given: Dict[str, List[str]] = {name: [] for name in CREDENTIAL_HEADERS}
    for name, value in headers:
        if name in given:
            given[name].append(value)
    escaped = quote(path, safe=RAW)
    if any(len(values) > 1 for values in given.values()):
        return Question(method, escaped, None, is_conflicting=True)
    tokens = [_token(value) for value in given["authorization"]] + given["x-api-key"]
    keys = {token for token in tokens if token is not None and token.strip(" \t") != ""}
    if len(keys) > 1:
        return Question(method, escaped, None, is_conflicting=True)
    return Question(method, escaped, next(iter(keys), None))


def _token(authorization: str) -> Optional[str]:
    """The token of a Bearer credential (RFC 6750, section 2.1); None for another scheme."""
    scheme = BEARER.match(authorization)
    return None if scheme is None else authorization[scheme.end() :]


def judge(
    client: AuthorizeClient,
    question: Question,
    verdicts: MutableMapping[Any, Verdict],
    cost: Optional[Cost[Any]] = None,
    request: Any = None,
) -> Verdict:
    """Asks about one request, once per client and question. Never raises: an error becomes a 503.

    :param verdicts: those that this request has already got; the first one was charged
    :param request: what a `cost` that is a function is asked about
    """
    asked = (id(client), client.project_id, question)
    if asked not in verdicts:
        verdicts[asked] = _ask(client, question, cost, request)
    return verdicts[asked]


def _ask(client: AuthorizeClient, question: Question, cost: Optional[Cost[Any]], request: Any) -> Verdict:
    if question.is_conflicting:
        return refusal("invalid_api_key")
    body: Dict[str, Any] = {
        "apiKey": question.api_key,
        "method": question.method,
        "path": question.path,
    }
    try:
        if cost is not None:
            body["cost"] = checked_cost(cost(request) if callable(cost) else cost)
        decision: Any = client.authorize(body)  # type: ignore[arg-type]
        return _verdict_of(decision, client.project_id)
    except Exception as error:  # whatever it is, there is no verdict
        if not getattr(error, "is_expected", False):
            log.warning("requests are refused: there is no verdict: %s", error)
        return refusal("unavailable")


def checked_cost(cost: Any) -> int:
    """
    :raises CeibaConfigError: for anything but a whole number that a call can cost
    """
    if type(cost) is not int or not 0 <= cost <= COST_MAX:
        raise CeibaConfigError("cost", f"must be a whole number from 0 to {COST_MAX}")
    return cost


def _verdict_of(decision: Mapping[str, Any], project_id: str) -> Verdict:
    """
    :raises Exception: for anything but a decision of this project
    """
    if decision["allowed"] is True:
        access = _access_of(decision)
        if access["projectId"].lower() != project_id.lower():
            raise ValueError("the decision is that of another project")
        return Verdict(access, 200, _headers_for_allow(access["limits"], decision), b"")
    if decision["allowed"] is False and isinstance(decision["denialReason"], str):
        return refusal(decision["denialReason"], decision)
    raise ValueError("the answer of the Runtime is no decision")


def _access_of(decision: Mapping[str, Any]) -> Access:
    context, limits, decision_id = decision["access"], decision["limits"], decision["decisionId"]
    if not (_fits(context, AccessContext) and _fits(limits, Limits) and _fits(decision_id, str)):
        raise ValueError("the allow of the Runtime has a field of another type")
    return cast(Access, {**context, "limits": limits, "decisionId": decision_id})


def _fits(value: Any, kind: Any) -> bool:
    """Whether a value has every field of a TypedDict, and the right ones of those it may lack. Fields are
    texts, numbers, lists, one of several kinds, and the like."""
    if kind in (str, int, type(None)):
        return type(value) is kind
    if get_origin(kind) is list:
        return isinstance(value, list) and all(_fits(one, get_args(kind)[0]) for one in value)
    if get_origin(kind) is Union:
        return any(_fits(value, one) for one in get_args(kind))
    return isinstance(value, dict) and all(
        _fits(value[name], field) if name in value else name in kind.__optional_keys__
        for name, field in _fields_of(kind)
    )


@lru_cache(maxsize=None)
def _fields_of(kind: Any) -> List[Tuple[str, Any]]:
    return list(get_type_hints(kind).items())


def refusal(reason: str, decision: Mapping[str, Any] = {}) -> Verdict:
    """The reply to a denial. A reason that this version does not know is a 403."""
    reply: HostReplyRule = HOST_REPLIES.get(reason, HOST_REPLIES["policy_no_match"])
    headers: Headers = [
        ("content-type", "application/json; charset=utf-8"),
        ("cache-control", "no-store"),
    ]
    if reply["status"] == 401:
        headers.append(("www-authenticate", "Bearer"))
    if reply["status"] == 429:
        headers += _headers_for_limit_denial(reason, decision)
    body = json.dumps(
        {"error": reply["error"], "message": reply["message"]}, separators=(",", ":")
    ).encode()
    return Verdict(None, reply["status"], [*headers, ("content-length", str(len(body)))], body)


def _headers_for_allow(limits: Limits, decision: Mapping[str, Any]) -> Headers:
    """`RateLimit` and `RateLimit-Policy` of draft-ietf-httpapi-ratelimit-headers-11."""
    reset = decision.get("resetAfterSeconds") or {}
    left = [
        f'"{window}";r={int(remaining)}{_parameter("t", reset.get(window))}'
        for window, remaining in _remaining(limits).items()
        if remaining is not None
    ]
    return [("ratelimit-policy", _policy_field(limits)), ("ratelimit", ", ".join(left))]


def _remaining(limits: Limits) -> Dict[str, Optional[int]]:
    return {
        "minute": limits["remainingThisMinute"],
        "day": limits.get("remainingToday"),
        "month": limits["remainingThisMonth"],
    }


def _headers_for_limit_denial(reason: str, decision: Mapping[str, Any]) -> Headers:
    wait, limits = decision.get("retryAfterSeconds"), decision.get("limits")
    window = (decision.get("exceededLimit") or {}).get("window")
    if window not in ("minute", "day", "month"):
        window = "minute" if reason == "rate_limited" else "month"
    # A call that costs more than is left leaves what there is.
    remaining = int((_remaining(limits) if limits else {}).get(window) or 0)
    headers: Headers = [("ratelimit", f'"{window}";r={remaining}{_parameter("t", wait)}')]
    if wait is not None:
        headers.append(("retry-after", str(int(wait))))
    if limits is not None:
        headers.append(("ratelimit-policy", _policy_field(limits)))
    return headers


def _policy_field(limits: Limits) -> str:
    daily = limits.get("dailyQuota")
    day = "" if daily is None else f'"day";q={int(daily)};w=86400, '
    minute, month = int(limits["rateLimitPerMinute"]), int(limits["monthlyQuota"])
    return f'"minute";q={minute};w=60, {day}"month";q={month}'


def _parameter(name: str, value: Optional[int]) -> str:
    return "" if value is None else f";{name}={int(value)}"


def merged(headers: Headers, more: Headers) -> Headers:
    """Headers with others added, which replace those of the same name."""
    names = {name.lower() for name, _ in more}
    return [(name, value) for name, value in headers if name.lower() not in names] + more

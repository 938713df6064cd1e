"""A client for the tests of a host, which need no Runtime."""

from __future__ import annotations

from typing import Any, List, Mapping, Optional, Union, cast

from .client import CeibaError
from .operations import AllowDecision, AuthorizeRequest, Decision, DenyDecision, Limits

FAKE_PROJECT_ID = "00000000-0000-4000-8000-000000000000"
_DECISION_ID = "00000000-0000-7000-8000-000000000001"

#: The answer to a key: `"allow"`, a denial reason, `"unavailable"` (no answer, as when the Runtime is
#: down), or a whole decision.
FakeVerdict = Union[str, Decision]


class FakeOutage(CeibaError):
    """An outage that a test asked for: no warning reports it."""

    is_expected = True


class FakeClient:
    """Answers from a table, without a Runtime or a network. It matches no paths and charges nothing.

    :param verdicts: the verdict by API key; a key that is not listed is `invalid_api_key`
    :param customers: the external ID of the customer by API key, for the verdict `"allow"`
    """

    def __init__(
        self,
        verdicts: Optional[Mapping[str, FakeVerdict]] = None,
        project_id: str = FAKE_PROJECT_ID,
        customers: Optional[Mapping[str, str]] = None,
    ) -> None:
        self.project_id = project_id
        #: Every question so far, in order.
        self.questions: List[AuthorizeRequest] = []
        self._verdicts = dict(verdicts or {})
        self._customers = dict(customers or {})

    def authorize(self, body: AuthorizeRequest) -> Decision:
        self.questions.append(body)
        api_key = body.get("apiKey")
        if api_key is None:
            return deny_decision("missing_api_key")
        verdict = self._verdicts.get(api_key, "invalid_api_key")
        if not isinstance(verdict, str):
            return verdict
        if verdict == "unavailable":
            raise FakeOutage("the fake Runtime is unavailable")
        if verdict != "allow":
            return deny_decision(verdict)
        decision = allow_decision(self.project_id)
        if api_key in self._customers:
            external_id = self._customers[api_key]
            decision["access"]["customer"] = {
                "customerId": "00000000-0000-4000-8000-000000000005",
                "externalId": external_id,
                "plan": None,
            }
        return decision


def _limits() -> Limits:
    return {
        "rateLimitPerMinute": 60,
        "monthlyQuota": 10_000,
        "remainingThisMinute": 59,
        "remainingThisMonth": 9_999,
    }


def allow_decision(project_id: str = FAKE_PROJECT_ID) -> AllowDecision:
    """An allow with plausible values."""
    return {
        "allowed": True,
        "decisionId": _DECISION_ID,
        "access": {
            "projectId": project_id,
            "apiKey": {
                "apiKeyId": "00000000-0000-4000-8000-000000000002",
                "displayName": "Fake key",
                "keyPrefix": "ceiba_fakefake",
            },
            "policy": {
                "policyId": "00000000-0000-4000-8000-000000000003",
                "method": "*",
                "pathPattern": "*",
            },
            "plan": {"planId": "00000000-0000-4000-8000-000000000004", "name": "Fake plan"},
        },
        "limits": _limits(),
        "resetAfterSeconds": {"minute": 30, "month": 86_400},
    }


def deny_decision(reason: str) -> DenyDecision:
    """A denial; one by a limit has the limits, the one that was exceeded and the seconds to wait."""
    decision: Any = {"allowed": False, "decisionId": _DECISION_ID, "denialReason": reason}
    windows = {"rate_limited": ("minute", 60), "quota_exceeded": ("month", 10_000)}
    if reason in windows:
        window, value = windows[reason]
        limits: Any = {**_limits(), f"remainingThis{window.title()}": 0}
        exceeded = {"owner": "plan", "window": window, "value": value}
        decision.update(limits=limits, retryAfterSeconds=30, exceededLimit=exceeded)
    return cast(DenyDecision, decision)

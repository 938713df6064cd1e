"""A host as its author writes it; mypy checks that every field has its type."""

from typing import Dict, List, Optional

from ceiba import Access, AuthorizeClient, CeibaError, Client
from ceiba.testing import FakeClient
from ceiba.webhooks import WebhookVerifier


def plan_of(access: Access) -> str:
    plan: str = access["plan"]["name"]
    left: int = access["limits"]["remainingThisMonth"]
    return f"{plan}: {left}"


def reasons(client: Client) -> List[Optional[str]]:
    page = client.list_decisions(outcome="denied", limit=5)
    return [one["denialReason"] for one in page["decisions"]]


def handled(body: bytes, headers: Dict[str, str]) -> str:
    alert = WebhookVerifier("whsec_YWxlcnRz").verify(body, headers)
    kind: str = alert["type"]
    return kind


def policy_of(client: AuthorizeClient, api_key: str) -> Optional[str]:
    try:
        decision = client.authorize({"apiKey": api_key, "method": "GET", "path": "/v1/reports"})
    except CeibaError as error:
        status: Optional[int] = error.status
        return str(status)
    if decision["allowed"] is True:
        return decision["access"]["policy"]["pathPattern"]
    return decision["denialReason"]


fake: AuthorizeClient = FakeClient({"good": "allow", "busy": "rate_limited"})

"""The routes of the Ceiba Runtime. Written by generate.py from its OpenAPI document."""

from __future__ import annotations

from typing import Any, Dict, List, Literal, Mapping, Optional, TypedDict, Union, cast
from urllib.parse import quote, urlencode


class _AccessContextRequired(TypedDict):
    projectId: str
    apiKey: "MatchedApiKey"
    policy: "MatchedPolicy"
    plan: "MatchedPlan"


class AccessContext(_AccessContextRequired, total=False):
    """The key, policy and plan that an allowed request matched."""

    customer: "MatchedCustomer"


class AllowDecision(TypedDict):
    """The request may proceed, and was charged."""

    allowed: Literal[True]
    decisionId: str
    access: "AccessContext"
    limits: "Limits"
    resetAfterSeconds: "ResetAfterSeconds"


class ApiKeyCreateResult(TypedDict):
    """A new key: the only answer with its plaintext, which cannot be retrieved again."""

    apiKeyId: str
    displayName: str
    keyPrefix: str
    plaintextKey: str


class ApiKeyError(TypedDict):
    """One of several keys was refused; the others were not."""

    status: Literal[400, 403, 404, 409]
    error: str
    message: str


class ApiKeyLifecycleResult(TypedDict):
    """The status that a key has after revoke and archive."""

    apiKeyId: str
    status: Literal['revoked', 'archived']


class _ApiKeyListResultRequired(TypedDict):
    apiKeys: List["ApiKeySummary"]


class ApiKeyListResult(_ApiKeyListResultRequired, total=False):
    """Keys of the project, newest first, revoked and archived ones too."""

    nextCursor: Optional[str]


class ApiKeyRotateResult(TypedDict):
    """The new secret of a key: the only answer with it, and it cannot be retrieved again."""

    apiKeyId: str
    keyPrefix: str
    plaintextKey: str
    previous: Optional["ReplacedSecret"]


class _ApiKeySummaryRequired(TypedDict):
    apiKeyId: str
    displayName: str
    keyPrefix: str
    status: Literal['active', 'revoked', 'archived']
    createdAt: str
    expiresAt: Optional[str]
    revokedAt: Optional[str]
    archivedAt: Optional[str]
    lastUsedAt: Optional[str]


class ApiKeySummary(_ApiKeySummaryRequired, total=False):
    """A key, without its plaintext. Times are ISO 8601."""

    customer: "CustomerRef"
    scopes: List[str]
    rateLimitPerMinute: int
    dailyQuota: int
    monthlyQuota: int
    metadata: Dict[str, Any]
    isImported: Literal[True]
    previous: "PreviousSecret"


class ApiKeysCreateResult(TypedDict):
    """One result per key, in their order."""

    results: List[Union["CreatedApiKey", "ApiKeyError"]]


class ApiKeysImportResult(TypedDict):
    """One result per key, in their order."""

    results: List[Union["ImportedApiKeyResult", "ApiKeyError"]]


class AuthorizeBatchRequest(TypedDict):
    """Each request is an AuthorizeRequest; one that is not is answered with 400 by itself."""

    requests: List[Any]


class AuthorizeBatchResult(TypedDict):
    """One result per request, in their order."""

    results: List[Union["BatchDecision", "BatchError"]]


class _AuthorizeRequestRequired(TypedDict):
    method: str
    path: str


class AuthorizeRequest(_AuthorizeRequestRequired, total=False):
    """The caller’s credential, unchecked or null, and its request line without the query."""

    apiKey: Optional[str]
    cost: int


class BatchDecision(TypedDict):
    """The answer to one request of a batch."""

    status: Literal[200]
    decision: "Decision"


class BatchError(TypedDict):
    """One request of a batch is not valid, or could not be decided."""

    status: Literal[400, 503]
    error: str
    message: str


class _CreateApiKeyRequestRequired(TypedDict):
    displayName: str


class CreateApiKeyRequest(_CreateApiKeyRequestRequired, total=False):
    """A new key. Only its label is required."""

    customerId: Optional[str]
    externalCustomerId: Optional[str]
    scopes: Optional[List[str]]
    expiresAt: Optional[str]
    metadata: Dict[str, Any]
    rateLimitPerMinute: Optional[int]
    dailyQuota: Optional[int]
    monthlyQuota: Optional[int]


class CreateApiKeysRequest(TypedDict):
    """Each is a CreateApiKeyRequest; one that is not is answered with 400 by itself."""

    apiKeys: List[Any]


class _CreateCustomerRequestRequired(TypedDict):
    externalId: str


class CreateCustomerRequest(_CreateCustomerRequestRequired, total=False):
    """A new customer. Only its external id is required."""

    name: str
    metadata: Dict[str, Any]
    plan: Optional[str]
    subscriptionStatus: Literal['active', 'trialing', 'past_due', 'canceled']
    currentPeriodEnd: Optional[str]
    billingDay: int
    rateLimitPerMinute: Optional[int]
    dailyQuota: Optional[int]
    monthlyQuota: Optional[int]


class CreatedApiKey(TypedDict):
    """One of several keys was created."""

    status: Literal[200]
    apiKey: "ApiKeyCreateResult"


class Customer(TypedDict):
    """A customer: keys that belong to it share its limits. Times are ISO 8601."""

    customerId: str
    externalId: str
    name: str
    metadata: Dict[str, Any]
    suspendedAt: Optional[str]
    plan: Optional["MatchedCustomerPlan"]
    subscriptionStatus: Optional[Literal['active', 'trialing', 'past_due', 'canceled']]
    currentPeriodEnd: Optional[str]
    billingDay: int
    rateLimitPerMinute: Optional[int]
    dailyQuota: Optional[int]
    monthlyQuota: Optional[int]
    createdAt: str


class CustomerListResult(TypedDict):
    """One page, newest first; `nextCursor` is null on the last one."""

    customers: List["Customer"]
    nextCursor: Optional[str]


# The customer’s month, which begins on its billing day.
CustomerPeriod = TypedDict("CustomerPeriod", {
    "from": str,
    "to": str,
    "cost": int,
    "dailyCost": int,
})


class CustomerRef(TypedDict):
    """A customer, by both of its ids."""

    customerId: str
    externalId: str


# Usage of the keys that a customer has, and of its month.
CustomerUsageResult = TypedDict("CustomerUsageResult", {
    "from": str,
    "to": str,
    "step": Literal['day', 'month'],
    "usage": List["UsageOfStep"],
    "period": "CustomerPeriod",
})


class DecisionListResult(TypedDict):
    """One page, newest first; `nextCursor` is null on the last one."""

    decisions: List["LoggedDecision"]
    nextCursor: Optional[str]


class _DenyDecisionRequired(TypedDict):
    allowed: Literal[False]
    decisionId: str
    denialReason: Literal['missing_api_key', 'invalid_api_key', 'revoked_api_key', 'archived_api_key', 'expired_api_key', 'policy_no_match', 'inactive_subscription', 'quota_exceeded', 'rate_limited']


class DenyDecision(_DenyDecisionRequired, total=False):
    """The request must not proceed; nothing was charged."""

    limits: "Limits"
    retryAfterSeconds: int
    exceededLimit: "ExceededLimit"


class EmptyRequest(TypedDict):
    """An empty object."""


class EndPreviousSecretRequest(TypedDict, total=False):
    """Which replaced secret of a key to end; without a prefix, the one that it has."""

    keyPrefix: str


class ExceededLimit(TypedDict):
    """The limit that refused a call, and whose it is: so many calls a minute, or so much cost a day or a month, in UTC."""

    owner: Literal['plan', 'customer_plan', 'customer', 'api_key', 'project_default']
    window: Literal['minute', 'day', 'month']
    value: int


class GatewayAllow(TypedDict):
    """The request may proceed."""

    allowed: Literal[True]


class Health(TypedDict):
    """The process accepts connections."""

    ok: Literal[True]


class HostReply(TypedDict):
    """The reply of a host that refuses a request: nothing of it identifies a key."""

    error: Literal['service_unauthorized', 'service_forbidden', 'service_quota_exceeded', 'service_rate_limited', 'service_unavailable']
    message: str


class ImportApiKeysRequest(TypedDict):
    """Each is an ImportedApiKey; one that is not is answered with 400 by itself."""

    apiKeys: List["ImportedApiKey"]


class _ImportedApiKeyRequired(TypedDict):
    digest: str
    encoding: Literal['hex', 'base64', 'base64url']
    displayName: str
    keyPrefix: str


class ImportedApiKey(_ImportedApiKeyRequired, total=False):
    """A key that another issuer made."""

    externalCustomerId: Optional[str]
    scopes: Optional[List[str]]
    expiresAt: Optional[str]
    metadata: Dict[str, Any]
    rateLimitPerMinute: Optional[int]
    dailyQuota: Optional[int]
    monthlyQuota: Optional[int]
    disabled: bool
    createdAt: str


class ImportedApiKeyResult(TypedDict):
    """The project has the key, from this import or from before."""

    status: Literal[200]
    apiKeyId: str


class _LimitsRequired(TypedDict):
    rateLimitPerMinute: int
    monthlyQuota: int
    remainingThisMinute: int
    remainingThisMonth: int


class Limits(_LimitsRequired, total=False):
    """For each window the counter with the least left: of the minute in requests, of the day and the month in what they cost."""

    dailyQuota: int
    remainingToday: int


class LoggedDecision(TypedDict):
    """A decision of the log."""

    decisionId: str
    at: str
    requestId: Optional[str]
    method: str
    path: Optional[str]
    allowed: bool
    denialReason: Optional[Literal['missing_api_key', 'invalid_api_key', 'revoked_api_key', 'archived_api_key', 'expired_api_key', 'policy_no_match', 'inactive_subscription', 'quota_exceeded', 'rate_limited']]
    denialDetail: Optional[Literal['expired', 'disabled', 'scope', 'plan_scope', 'past_due', 'canceled', 'period_ended', 'no_subscription', 'customer_suspended', 'customer_past_due', 'customer_canceled', 'customer_period_ended']]
    apiKeyId: Optional[str]
    customerId: Optional[str]
    keyPrefix: Optional[str]
    byPreviousSecret: bool
    policyId: Optional[str]
    limits: Optional["Limits"]
    exceededLimit: Optional["ExceededLimit"]
    latencyMs: int


class _MatchedApiKeyRequired(TypedDict):
    apiKeyId: str
    displayName: str
    keyPrefix: str


class MatchedApiKey(_MatchedApiKeyRequired, total=False):
    """The key of the caller."""

    scopes: List[str]


class MatchedCustomer(TypedDict):
    """The customer of the key."""

    customerId: str
    externalId: str
    plan: Optional["MatchedCustomerPlan"]


class MatchedCustomerPlan(TypedDict):
    """The plan that a customer is on."""

    planId: str
    name: str


class MatchedPlan(TypedDict):
    """The plan of the project’s subscription."""

    planId: str
    name: str


class MatchedPolicy(TypedDict):
    """The policy that allows the request."""

    policyId: str
    method: str
    pathPattern: str


class PreviousSecret(TypedDict):
    """The secret that a rotation has replaced, within its overlap."""

    keyPrefix: str
    validUntil: str
    lastUsedAt: Optional[str]


class _ReadinessChecksRequired(TypedDict):
    database: Literal['ok', 'unavailable']
    redis: Literal['ok', 'unavailable']


class ReadinessChecks(_ReadinessChecksRequired, total=False):
    """The state of each dependency."""

    schema: Literal['unavailable']


class ReplacedSecret(TypedDict):
    """The secret that a rotation has replaced, and how long it stays valid."""

    keyPrefix: str
    validUntil: str


class _ResetAfterSecondsRequired(TypedDict):
    minute: int
    month: int


class ResetAfterSeconds(_ResetAfterSecondsRequired, total=False):
    """Seconds until the UTC minute, month and day of `limits` end."""

    day: int


class _RotateApiKeyRequestRequired(TypedDict):
    keyPrefix: str
    overlapSeconds: int


class RotateApiKeyRequest(_RotateApiKeyRequestRequired, total=False):
    """Which secret of a key to replace, and how long it stays valid."""

    confirm: bool


class RuntimeReadiness(TypedDict):
    """Whether decisions can be made, and what is unavailable."""

    ok: bool
    checks: "ReadinessChecks"


class RuntimeVersion(TypedDict):
    """The commit, and the newest migration that the build expects."""

    sha: str
    schema: str


class _TransportErrorRequired(TypedDict):
    error: Literal['invalid_request', 'unauthorized', 'plan_limit_reached', 'not_found', 'conflict', 'payload_too_large', 'unsupported_media_type', 'headers_too_large', 'internal', 'unavailable']
    message: str
    requestId: str


class TransportError(_TransportErrorRequired, total=False):
    """The body of a transport error; that of a 500 or 503 gives no details."""

    apiKeyId: str


class UpdateApiKeyRequest(TypedDict, total=False):
    """What to change of an active key, at least one field; null clears it."""

    displayName: str
    customerId: Optional[str]
    externalCustomerId: Optional[str]
    scopes: Optional[List[str]]
    expiresAt: Optional[str]
    metadata: Dict[str, Any]
    rateLimitPerMinute: Optional[int]
    dailyQuota: Optional[int]
    monthlyQuota: Optional[int]


class UpdateCustomerRequest(TypedDict, total=False):
    """What to change of a customer, at least one field; null clears a number, the plan or its end."""

    externalId: str
    name: str
    metadata: Dict[str, Any]
    plan: Optional[str]
    subscriptionStatus: Literal['active', 'trialing', 'past_due', 'canceled']
    currentPeriodEnd: Optional[str]
    billingDay: int
    rateLimitPerMinute: Optional[int]
    dailyQuota: Optional[int]
    monthlyQuota: Optional[int]


# The decisions of a day or a month in UTC.
UsageOfStep = TypedDict("UsageOfStep", {
    "from": str,
    "allowed": int,
    "denied": int,
    "cost": int,
})


# Usage over time, as of the last second.
UsageResult = TypedDict("UsageResult", {
    "from": str,
    "to": str,
    "step": Literal['day', 'month'],
    "usage": List["UsageOfStep"],
})


Decision = Union["AllowDecision", "DenyDecision"]


ForwardAuthBody = Union["GatewayAllow", "HostReply"]


def _part(text: str) -> str:
    """A segment of a path; an empty one or a dot segment would address another route."""
    if text in ("", ".", ".."):
        raise ValueError("an id must not be empty")
    return quote(text, safe="")


def _query(values: Mapping[str, Union[str, int, None]]) -> str:
    given = {name: value for name, value in values.items() if value is not None}
    return "?" + urlencode(given) if given else ""


class HostReplyRule(TypedDict):
    """How a host answers to its caller where a request must not proceed."""

    status: int
    error: str
    message: str


#: By denial reason, and where there is no decision.
HOST_REPLIES: Dict[str, HostReplyRule] = {
    'missing_api_key': {'status': 401, 'error': 'service_unauthorized', 'message': 'A valid API key is required.'},
    'invalid_api_key': {'status': 401, 'error': 'service_unauthorized', 'message': 'A valid API key is required.'},
    'revoked_api_key': {'status': 401, 'error': 'service_unauthorized', 'message': 'A valid API key is required.'},
    'archived_api_key': {'status': 401, 'error': 'service_unauthorized', 'message': 'A valid API key is required.'},
    'expired_api_key': {'status': 401, 'error': 'service_unauthorized', 'message': 'A valid API key is required.'},
    'policy_no_match': {'status': 403, 'error': 'service_forbidden', 'message': 'This API key does not give access to this resource.'},
    'inactive_subscription': {'status': 403, 'error': 'service_forbidden', 'message': 'This API key does not give access to this resource.'},
    'quota_exceeded': {'status': 429, 'error': 'service_quota_exceeded', 'message': 'The quota is used up.'},
    'rate_limited': {'status': 429, 'error': 'service_rate_limited', 'message': 'Too many requests. Try again later.'},
    'unavailable': {'status': 503, 'error': 'service_unavailable', 'message': 'Access cannot be checked at the moment.'},
}


class Operations:
    """One method per route; `Client` sends them."""

    project_id: str

    def _call(
        self, method: str, path: str, body: Any, headers: Mapping[str, Optional[str]] = {}
    ) -> Any:
        raise NotImplementedError

    def authorize(self, body: "AuthorizeRequest") -> "Decision":
        """Ask whether one request may proceed. An allow and a denial are both a 200: the verdict is in `allowed`, not in the status. Anything but a 200 of this shape is not an allow."""
        path = f"/rt/projects/{self.project_id}/authorize"
        return cast("Decision", self._call("POST", path, body))

    def authorize_batch(self, body: "AuthorizeBatchRequest") -> "AuthorizeBatchResult":
        """Ask about up to 256 requests. Each request is judged and charged by itself, in order, as by `authorize`."""
        path = f"/rt/projects/{self.project_id}/authorize/batch"
        return cast("AuthorizeBatchResult", self._call("POST", path, body))

    def list_api_keys(self, *, customer_id: Optional[str] = None, status: Optional[Literal['active', 'revoked', 'archived']] = None, search: Optional[str] = None, limit: Optional[int] = None, cursor: Optional[str] = None) -> "ApiKeyListResult":
        """List keys. Newest first, including revoked and archived keys. Without parameters all keys at once; with any of them one page of those that it selects. An empty parameter counts as absent. `metadata.<name>`, of which there may be several and none empty, selects the keys whose metadata has this text at its top level."""
        path = f"/rt/projects/{self.project_id}/api-keys"
        path += _query({"customerId": customer_id, "status": status, "search": search, "limit": limit, "cursor": cursor})
        return cast("ApiKeyListResult", self._call("GET", path, None))

    def create_api_key(self, body: "CreateApiKeyRequest", *, idempotency_key: Optional[str] = None) -> "ApiKeyCreateResult":
        """Create a key. Only this answer contains the plaintext, and it cannot be retrieved again. Of `customerId` and `externalCustomerId` at most one may be given. With an `Idempotency-Key`, a repeated call makes no second key: within 24 hours it is a conflict, with the `apiKeyId` of the key that the first call has made."""
        path = f"/rt/projects/{self.project_id}/api-keys"
        return cast("ApiKeyCreateResult", self._call("POST", path, body, {"idempotency-key": idempotency_key}))

    def create_api_keys(self, body: "CreateApiKeysRequest") -> "ApiKeysCreateResult":
        """Create up to 100 keys. Each key is created, or refused, by itself, in order, as by `createApiKey`. Takes no `Idempotency-Key`."""
        path = f"/rt/projects/{self.project_id}/api-keys/batch"
        return cast("ApiKeysCreateResult", self._call("POST", path, body))

    def import_api_keys(self, body: "ImportApiKeysRequest") -> "ApiKeysImportResult":
        """Import up to 1000 keys of another issuer. Takes SHA-256 of their secrets, which callers go on presenting. Each key is imported, or refused, by itself. One whose digest the project has already is answered with the id of its key and left as it is, so that a run can be repeated. The body may have 5 MiB."""
        path = f"/rt/projects/{self.project_id}/api-keys/import"
        return cast("ApiKeysImportResult", self._call("POST", path, body))

    def get_api_key(self, api_key_id: str) -> "ApiKeySummary":
        """Read one key. A key of another project is answered like one that does not exist."""
        path = f"/rt/projects/{self.project_id}/api-keys/{_part(api_key_id)}"
        return cast("ApiKeySummary", self._call("GET", path, None))

    def update_api_key(self, api_key_id: str, body: "UpdateApiKeyRequest") -> "ApiKeySummary":
        """Change a key, or move it to another customer. Only an active key, from the next decision on. What is absent stays; an expiry in the past expires the key at once."""
        path = f"/rt/projects/{self.project_id}/api-keys/{_part(api_key_id)}"
        return cast("ApiKeySummary", self._call("PATCH", path, body))

    def rotate_api_key(self, api_key_id: str, body: "RotateApiKeyRequest") -> "ApiKeyRotateResult":
        """Replace the secret of a key. The key keeps its id, limits, counters, customer, scopes and history. Only this answer contains the new secret. The replaced one is valid for the overlap, never past the expiry of the key. A conflict for a key that is not active or has expired, for another `keyPrefix` than that of its secret, and, without `confirm`, within the overlap of a rotation before."""
        path = f"/rt/projects/{self.project_id}/api-keys/{_part(api_key_id)}/rotate"
        return cast("ApiKeyRotateResult", self._call("POST", path, body))

    def end_previous_secret(self, api_key_id: str, body: Optional["EndPreviousSecretRequest"] = None) -> "ApiKeySummary":
        """End the secret that a rotation has replaced. From the next decision on, before its overlap is over. May be repeated; a key that is not active is a conflict, and so is one whose replaced secret is another than that of `keyPrefix`."""
        path = f"/rt/projects/{self.project_id}/api-keys/{_part(api_key_id)}/end-previous-secret"
        return cast("ApiKeySummary", self._call("POST", path, body or {}))

    def revoke_api_key(self, api_key_id: str, body: Optional["EmptyRequest"] = None) -> "ApiKeyLifecycleResult":
        """Revoke a key. From the next decision on, and it cannot be undone. May be repeated; an archived key is a conflict."""
        path = f"/rt/projects/{self.project_id}/api-keys/{_part(api_key_id)}/revoke"
        return cast("ApiKeyLifecycleResult", self._call("POST", path, body or {}))

    def archive_api_key(self, api_key_id: str, body: Optional["EmptyRequest"] = None) -> "ApiKeyLifecycleResult":
        """Archive a key. From the next decision on, and it cannot be undone. May be repeated; a revoked key is a conflict."""
        path = f"/rt/projects/{self.project_id}/api-keys/{_part(api_key_id)}/archive"
        return cast("ApiKeyLifecycleResult", self._call("POST", path, body or {}))

    def list_customers(self, *, external_id: Optional[str] = None, status: Optional[Literal['active', 'suspended']] = None, search: Optional[str] = None, limit: Optional[int] = None, cursor: Optional[str] = None) -> "CustomerListResult":
        """List customers. Newest first. Each parameter narrows the list, and an empty one counts as absent."""
        path = f"/rt/projects/{self.project_id}/customers"
        path += _query({"externalId": external_id, "status": status, "search": search, "limit": limit, "cursor": cursor})
        return cast("CustomerListResult", self._call("GET", path, None))

    def create_customer(self, body: "CreateCustomerRequest") -> "Customer":
        """Create a customer, or find it as it is. Where the project has a customer of this external id, the other fields that are given are compared with its own: the answer is the customer as it is now, or a conflict that names the field."""
        path = f"/rt/projects/{self.project_id}/customers"
        return cast("Customer", self._call("POST", path, body))

    def get_customer(self, customer_id: str) -> "Customer":
        """Read one customer. A customer of another project is answered like one that does not exist."""
        path = f"/rt/projects/{self.project_id}/customers/{_part(customer_id)}"
        return cast("Customer", self._call("GET", path, None))

    def update_customer(self, customer_id: str, body: "UpdateCustomerRequest") -> "Customer":
        """Change a customer. From the next decision of each of its keys on. What is absent stays; clearing the plan clears its status and its end. Another billing day begins the month of its quota again."""
        path = f"/rt/projects/{self.project_id}/customers/{_part(customer_id)}"
        return cast("Customer", self._call("PATCH", path, body))

    def suspend_customer(self, customer_id: str, body: Optional["EmptyRequest"] = None) -> "Customer":
        """Suspend a customer. Each of its keys is denied from the next decision on, with `inactive_subscription`. May be repeated."""
        path = f"/rt/projects/{self.project_id}/customers/{_part(customer_id)}/suspend"
        return cast("Customer", self._call("POST", path, body or {}))

    def resume_customer(self, customer_id: str, body: Optional["EmptyRequest"] = None) -> "Customer":
        """Resume a customer. Its keys are no longer denied for it, from the next decision on. May be repeated."""
        path = f"/rt/projects/{self.project_id}/customers/{_part(customer_id)}/resume"
        return cast("Customer", self._call("POST", path, body or {}))

    def get_usage(self, *, from_: Optional[str] = None, to: Optional[str] = None, step: Optional[Literal['day', 'month']] = None) -> "UsageResult":
        """Read the usage of the project. Without parameters, the days of the last 30. At most 400 days at once, or 1,830 in months of the project."""
        path = f"/rt/projects/{self.project_id}/usage"
        path += _query({"from": from_, "to": to, "step": step})
        return cast("UsageResult", self._call("GET", path, None))

    def get_api_key_usage(self, api_key_id: str, *, from_: Optional[str] = None, to: Optional[str] = None, step: Optional[Literal['day', 'month']] = None) -> "UsageResult":
        """Read the usage of a key. Without parameters, the days of the last 30. At most 400 days at once, or 1,830 in months of the project."""
        path = f"/rt/projects/{self.project_id}/api-keys/{_part(api_key_id)}/usage"
        path += _query({"from": from_, "to": to, "step": step})
        return cast("UsageResult", self._call("GET", path, None))

    def get_customer_usage(self, customer_id: str, *, from_: Optional[str] = None, to: Optional[str] = None, step: Optional[Literal['day', 'month']] = None) -> "CustomerUsageResult":
        """Read the usage of a customer. Without parameters, the days of the last 30. At most 400 days at once, or 1,830 in months of the project."""
        path = f"/rt/projects/{self.project_id}/customers/{_part(customer_id)}/usage"
        path += _query({"from": from_, "to": to, "step": step})
        return cast("CustomerUsageResult", self._call("GET", path, None))

    def list_decisions(self, *, outcome: Optional[Literal['allowed', 'denied']] = None, reason: Optional[Literal['missing_api_key', 'invalid_api_key', 'revoked_api_key', 'archived_api_key', 'expired_api_key', 'policy_no_match', 'inactive_subscription', 'quota_exceeded', 'rate_limited']] = None, api_key_id: Optional[str] = None, customer_id: Optional[str] = None, method: Optional[str] = None, path_prefix: Optional[str] = None, request_id: Optional[str] = None, from_: Optional[str] = None, to: Optional[str] = None, limit: Optional[int] = None, cursor: Optional[str] = None) -> "DecisionListResult":
        """List recorded decisions. Newest first. Each parameter narrows the list, and an empty one counts as absent."""
        path = f"/rt/projects/{self.project_id}/decisions"
        path += _query({"outcome": outcome, "reason": reason, "apiKeyId": api_key_id, "customerId": customer_id, "method": method, "pathPrefix": path_prefix, "requestId": request_id, "from": from_, "to": to, "limit": limit, "cursor": cursor})
        return cast("DecisionListResult", self._call("GET", path, None))

    def get_decision(self, decision_id: str) -> "LoggedDecision":
        """Read one recorded decision. A decision of another project is answered like one that does not exist."""
        path = f"/rt/projects/{self.project_id}/decisions/{_part(decision_id)}"
        return cast("LoggedDecision", self._call("GET", path, None))

    def get_health(self) -> "Health":
        """Liveness. Touches no dependency."""
        path = "/health"
        return cast("Health", self._call("GET", path, None))

    def get_readiness(self) -> "RuntimeReadiness":
        """Readiness. Asks each dependency."""
        path = "/ready"
        return cast("RuntimeReadiness", self._call("GET", path, None))

    def get_version(self) -> "RuntimeVersion":
        """Version. Touches no dependency."""
        path = "/version"
        return cast("RuntimeVersion", self._call("GET", path, None))

    def get_open_api(self) -> Dict[str, Any]:
        """This document. OpenAPI 3.1, of the build that answers."""
        path = "/openapi.json"
        return cast(Dict[str, Any], self._call("GET", path, None))

    def get_postman_collection(self) -> Dict[str, Any]:
        """This document, for Postman. A collection of format 2.1.0, with one request for each route."""
        path = "/postman.json"
        return cast(Dict[str, Any], self._call("GET", path, None))

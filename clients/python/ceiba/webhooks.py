"""The signatures of alerts, which follow Standard Webhooks."""

from __future__ import annotations

import base64
import binascii
import hashlib
import hmac
import json
import re
import time
from typing import Any, Callable, Dict, Iterable, Mapping, Optional, Protocol, Sequence, Tuple, TypedDict, Union

from .settings import CeibaConfigError, required

BRAND = "whsec_"


class Webhook(TypedDict):
    """An alert of Ceiba, whose signature was verified."""

    #: The same in each attempt to deliver it: remember those that you have handled.
    id: str
    #: Such as `quota.threshold_reached`.
    type: str
    #: When it happened, in RFC 3339.
    timestamp: str
    data: Dict[str, Any]


class WebhookHeaders(Protocol):
    """The headers of a request, of any framework; names in any letters."""

    def items(self) -> Iterable[Tuple[str, str]]:
        """The names with their values."""


class WebhookVerificationError(Exception):
    """A webhook was not accepted: answer 400. The message has neither the secret nor the body.

    `problem` is `missing_header`, `invalid_timestamp`, `too_old`, `too_new`, `parsed_body`,
    `wrong_signature` or `invalid_body`.
    """

    def __init__(self, problem: str, message: str) -> None:
        super().__init__(message)
        self.problem = problem


class WebhookVerifier:
    """Verifies the signatures of alerts. Threads may share one.

    :param secret: the signing secret of the destination (`whsec_…`), or those of several
    :param tolerance: how far the time of a webhook may be from that of this server, in seconds
    :param now: the current time in seconds
    :raises CeibaConfigError: for a secret that is missing or malformed; the message never contains it
    """

    def __init__(
        self,
        secret: Union[str, Sequence[Optional[str]], None],
        *,
        tolerance: float = 300.0,
        now: Callable[[], float] = time.time,
    ) -> None:
        given = [secret] if secret is None or isinstance(secret, str) else list(secret)
        self._secrets = [_secret_of(one) for one in given or [None]]
        if isinstance(tolerance, bool) or not isinstance(tolerance, (int, float)) or not 0 < tolerance < 1e9:
            raise CeibaConfigError("tolerance", "must be a number of seconds above 0")
        self._tolerance = tolerance
        self._now = now

    def verify(self, body: Union[bytes, str], headers: WebhookHeaders) -> Webhook:
        """Verifies one webhook.

        :param body: as it arrived, before any parser of JSON
        :raises WebhookVerificationError: unless it is from Ceiba, unchanged and recent
        """
        names = {name.lower(): value for name, value in headers.items()}
        webhook_id = _header(names, "webhook-id")
        timestamp = _header(names, "webhook-timestamp")
        signatures = _header(names, "webhook-signature")
        self._require_recent(timestamp)
        received = _bytes_of(body)
        signed = _utf8(f"{webhook_id}.{timestamp}.") + received
        expected = [hmac.new(secret, signed, hashlib.sha256).digest() for secret in self._secrets]
        given = [_decoded(one[3:]) for one in signatures.split(" ") if one.startswith("v1,")]
        if not any(hmac.compare_digest(one, other) for one in given if one for other in expected):
            raise WebhookVerificationError(
                "wrong_signature",
                "no signature in webhook-signature is by this secret: check that the secret is that of the"
                " destination (CEIBA_WEBHOOK_SECRET), and that the body is the raw one",
            )
        return _parsed(webhook_id, received)

    def _require_recent(self, timestamp: str) -> None:
        if not re.fullmatch("[0-9]{1,12}", timestamp):
            raise WebhookVerificationError(
                "invalid_timestamp", "the header webhook-timestamp must be a number of seconds"
            )
        age = int(self._now()) - int(timestamp)
        if abs(age) <= self._tolerance:
            return
        problem, where = ("too_old", "past") if age > 0 else ("too_new", "future")
        raise WebhookVerificationError(
            problem,
            f"the webhook was signed {abs(age)} seconds in the {where}, and {self._tolerance:g} are allowed:"
            " check the clock of this server",
        )


def _secret_of(secret: Optional[str]) -> bytes:
    text = required("secret", secret)
    secret_bytes = _decoded(text[len(BRAND) :]) if text.startswith(BRAND) else None
    if not secret_bytes:
        raise CeibaConfigError("secret", "must be whsec_ and base64, as the console showed it")
    return secret_bytes


def _decoded(text: str) -> Optional[bytes]:
    try:
        return base64.b64decode(text, validate=True)
    except (binascii.Error, ValueError):
        return None


def _header(headers: Mapping[str, str], name: str) -> str:
    value = headers.get(name)
    if value:
        return value
    raise WebhookVerificationError(
        "missing_header", f"the header {name} is missing: this is no webhook of Ceiba, or a proxy removed it"
    )


def _utf8(text: str) -> bytes:
    """Some servers pass on bytes that are no UTF-8 as lone surrogates, which Ceiba never signs."""
    return text.encode("utf-8", "surrogatepass")


def _bytes_of(body: Any) -> bytes:
    if isinstance(body, str):
        return _utf8(body)
    if isinstance(body, (bytes, bytearray, memoryview)):
        return bytes(body)
    raise WebhookVerificationError(
        "parsed_body",
        "the body must be the bytes that arrived: read it before a parser of JSON does, with"
        " request.get_data() or await request.body()",
    )


def _parsed(webhook_id: str, body: bytes) -> Webhook:
    try:
        fields = json.loads(body)
    except ValueError:
        fields = None
    if isinstance(fields, dict):
        kind, at, data = (fields.get(name) for name in ("type", "timestamp", "data"))
        if isinstance(kind, str) and isinstance(at, str) and isinstance(data, dict):
            return {"id": webhook_id, "type": kind, "timestamp": at, "data": data}
    raise WebhookVerificationError(
        "invalid_body", "the signature is right, but the body is no alert: type, timestamp and data"
    )

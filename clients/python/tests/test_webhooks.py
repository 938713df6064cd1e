"""The verifier of alerts. tests/sdk/webhooks.test.ts gives it what the sender of Ceiba signs."""

import base64
import hashlib
import hmac
import json
import unittest

from ceiba import CeibaConfigError
from ceiba.webhooks import WebhookVerificationError, WebhookVerifier

AT = 1_795_687_200
KEY = b"the secret of a receiver"
FORMER = b"the secret that was here"
ALERT = {"type": "alert.test", "timestamp": "2026-11-26T10:00:00.000Z", "data": {"project": {"name": "Über"}}}
BODY = json.dumps(ALERT, ensure_ascii=False).encode()


def text_of(key):
    return "whsec_" + base64.b64encode(key).decode()


def signature(key, body=BODY, webhook_id="msg_1", at=AT):
    digest = hmac.new(key, f"{webhook_id}.{at}.".encode() + body, hashlib.sha256).digest()
    return "v1," + base64.b64encode(digest).decode()


def headers_of(*signatures):
    return {
        "Webhook-Id": "msg_1",
        "Webhook-Timestamp": str(AT),
        "Webhook-Signature": " ".join(signatures or [signature(KEY)]),
    }


def verify(body=BODY, headers=None, secret=text_of(KEY), now=AT):
    verifier = WebhookVerifier(secret, now=lambda: now + 0.4)
    return verifier.verify(body, headers_of() if headers is None else headers)


class TheVerifier(unittest.TestCase):
    def refused(self, problem, *words, **given):
        with self.assertRaises(WebhookVerificationError) as refusal:
            verify(**given)
        self.assertEqual(refusal.exception.problem, problem)
        for word in words:
            self.assertIn(word, str(refusal.exception))
        self.assertNotIn(text_of(KEY)[6:], str(refusal.exception))

    def test_accepts_bytes_and_text_of_an_alert_with_its_id(self):
        for body in (BODY, BODY.decode(), bytearray(BODY)):
            self.assertEqual(verify(body), {"id": "msg_1", **ALERT})

    def test_accepts_either_secret_while_one_is_rotated(self):
        both = headers_of("v1a,AAAA", signature(FORMER), signature(KEY))
        for secret in (text_of(KEY), text_of(FORMER), [text_of(b"another"), text_of(KEY)]):
            self.assertEqual(verify(headers=both, secret=secret)["id"], "msg_1")

    def test_names_the_header_that_is_missing(self):
        for name in headers_of():
            for headers in ({**headers_of(), name: ""}, {k: v for k, v in headers_of().items() if k != name}):
                self.refused("missing_header", name.lower(), headers=headers)

    def test_refuses_what_was_signed_too_long_ago_or_in_the_future(self):
        self.refused("too_old", "301 seconds in the past", now=AT + 301)
        self.refused("too_new", "301 seconds in the future", now=AT - 301)
        for now in (AT + 300, AT - 300):
            self.assertEqual(verify(now=now)["id"], "msg_1")
        for timestamp in ("soon", "-1", "1.5", "٣", "9" * 13):
            self.refused("invalid_timestamp", headers={**headers_of(), "Webhook-Timestamp": timestamp})

    def test_refuses_every_other_signature(self):
        for one in (
            signature(FORMER),
            signature(KEY, body=BODY + b" "),
            signature(KEY, webhook_id="msg_2"),
            signature(KEY, at=AT + 1),
            signature(KEY).replace("v1", "v2"),
            signature(KEY)[3:],
            signature(KEY)[:20],
            "v1,",
            "v1,*",
        ):
            self.refused("wrong_signature", "CEIBA_WEBHOOK_SECRET", headers=headers_of(one))
        self.refused("wrong_signature", body=BODY + b" ")

    def test_refuses_bytes_that_are_no_text_as_another_signature(self):
        self.refused("wrong_signature", headers={**headers_of(), "Webhook-Id": "msg_\udcff"})
        self.refused("wrong_signature", headers=headers_of("v1,\udcff"))
        self.refused("wrong_signature", body="\udcff")

    def test_refuses_a_body_that_was_parsed_or_is_no_alert(self):
        for body in (ALERT, None):
            self.refused("parsed_body", "get_data()", body=body)
        for body in (b"", b"[]", b'{"type": "a", "timestamp": "b"}', b"\xff"):
            self.refused("invalid_body", body=body, headers=headers_of(signature(KEY, body=body)))

    def test_refuses_a_secret_that_cannot_work_without_showing_it(self):
        for secret in (None, "", [], [text_of(KEY), None]):
            with self.assertRaisesRegex(CeibaConfigError, "secret is missing: set CEIBA_WEBHOOK_SECRET"):
                WebhookVerifier(secret)
        for secret in (text_of(KEY)[6:], "whsec_", "whsec_***"):
            with self.assertRaisesRegex(CeibaConfigError, "must be whsec_ and base64") as refusal:
                WebhookVerifier(secret)
            self.assertNotIn(secret[6:] or "none", str(refusal.exception))
        for tolerance in (0, -1, float("nan"), "300", True):
            with self.assertRaisesRegex(CeibaConfigError, "tolerance must be"):
                WebhookVerifier(text_of(KEY), tolerance=tolerance)

"""The checks of settings. An error names the setting, and never contains its value."""

from __future__ import annotations

import re
from typing import Collection, Optional
from urllib.parse import SplitResult, urlsplit

UUID = re.compile(r"[0-9a-fA-F]{8}(?:-[0-9a-fA-F]{4}){3}-[0-9a-fA-F]{12}")
LOOPBACK = ("localhost", "127.0.0.1", "::1")
VARIABLES = {
    "runtime_base_url": "CEIBA_RUNTIME_URL",
    "project_id": "CEIBA_PROJECT_ID",
    "project_secret": "CEIBA_PROJECT_SECRET",
    "secret": "CEIBA_WEBHOOK_SECRET",
}


class CeibaConfigError(ValueError):
    """A setting cannot work. `setting` names it."""

    def __init__(self, setting: str, problem: str) -> None:
        super().__init__(f"{setting} {problem}")
        self.setting = setting


def required(setting: str, value: Optional[str]) -> str:
    """The value of a setting that must be given."""
    if value is None or value == "":
        raise CeibaConfigError(setting, f"is missing: set {VARIABLES[setting]} and pass its value")
    if not isinstance(value, str):
        raise CeibaConfigError(setting, "must be a string")
    return value


def parse_project_id(value: Optional[str]) -> str:
    text = required("project_id", value)
    if not UUID.fullmatch(text):
        raise CeibaConfigError("project_id", f"must be a UUID; check {VARIABLES['project_id']}")
    return text


def parse_base_url(value: Optional[str], plain_http_hosts: Collection[str]) -> SplitResult:
    setting = "runtime_base_url"
    text = required(setting, value)
    try:
        url = urlsplit(text)
        url.port
    except ValueError:
        raise CeibaConfigError(setting, "must be an address such as https://runtime.example.com") from None
    if url.scheme not in ("http", "https") or not url.hostname:
        raise CeibaConfigError(setting, "must be an address such as https://runtime.example.com")
    if url.username or url.password or "?" in text or "#" in text:
        raise CeibaConfigError(setting, "must have no credentials, query or fragment")
    if url.scheme == "http" and url.hostname not in (*LOOPBACK, *plain_http_hosts):
        raise CeibaConfigError(setting, "must use https, or its host be in allow_plain_http_hosts")
    return url


def parse_secret(value: Optional[str]) -> str:
    setting = "project_secret"
    text = required(setting, value)
    if not re.fullmatch(r"[\x21-\x7e]+", text):
        raise CeibaConfigError(setting, "must be visible ASCII without spaces or line breaks")
    if re.match(r"ceiba_(?!secret_)", text):
        raise CeibaConfigError(
            setting, "is an API key of a caller; the project secret begins with ceiba_secret_"
        )
    return text


def parse_timeout(value: float) -> float:
    if isinstance(value, bool) or not isinstance(value, (int, float)) or not 0 < value <= 60:
        raise CeibaConfigError("timeout", "must be a number of seconds above 0 and at most 60")
    return float(value)

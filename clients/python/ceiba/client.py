"""The client of the Runtime: decisions, keys and the decision log."""

from __future__ import annotations

import http.client
import json
from typing import Any, Collection, Dict, Iterator, Mapping, Optional, Protocol, Union

from .operations import (
    ApiKeyListResult,
    ApiKeySummary,
    AuthorizeRequest,
    Customer,
    Decision,
    Operations,
    _query,
)
from .settings import parse_base_url, parse_project_id, parse_secret, parse_timeout
from .transport import Headers, Transport

ANSWER_BYTES_MAX = 96 * 1024 * 1024
HINTS = {
    401: ": project_id or project_secret is wrong, or runtime_base_url is not that of their Runtime",
    403: ": runtime_base_url may be the address of the console, not of the Runtime",
    404: ": runtime_base_url may not be the address of a Runtime",
    503: ": it cannot decide now, or project_id or project_secret is wrong; its log says which",
}


class CeibaError(Exception):
    """The Runtime gave no answer (`status` is None), or answered with another status than 200."""

    def __init__(self, message: str, status: Optional[int] = None, body: Any = None) -> None:
        super().__init__(message)
        self.status = status
        self.body = body


class AuthorizeClient(Protocol):
    """What a guard needs: `Client`, or `ceiba.testing.FakeClient`."""

    project_id: str

    def authorize(self, body: AuthorizeRequest) -> Decision:
        """
        :raises Exception: where there is no decision
        """


class Client(Operations):
    """Asks the Runtime. One client per process is enough, and threads may share it.

    :param timeout: the deadline of one call, in seconds; connecting may take as long again
    :param allow_plain_http_hosts: hosts that may be reached without TLS; loopback always may
    :raises CeibaConfigError: for a setting that is missing or cannot work; the message names it, and
        never contains its value
    """

    def __init__(
        self,
        *,
        runtime_base_url: Optional[str] = None,
        project_id: Optional[str] = None,
        project_secret: Optional[str] = None,
        timeout: float = 1.0,
        allow_plain_http_hosts: Collection[str] = (),
    ) -> None:
        url = parse_base_url(runtime_base_url, allow_plain_http_hosts)
        self.project_id = parse_project_id(project_id)
        self.timeout = parse_timeout(timeout)
        self._transport = Transport(url, parse_secret(project_secret), self.timeout)

    def get_customer_by_external_id(self, external_id: str) -> Optional[Customer]:
        """The customer with exactly this external id; None where the project has none."""
        if external_id == "":  # as a parameter it would select everyone
            return None
        page = self.list_customers(external_id=external_id)
        return next((one for one in page["customers"] if one["externalId"] == external_id), None)

    def close(self) -> None:
        """Closes the idle connections, for a process that ends its clients before itself."""
        self._transport.close()

    def each_api_key(
        self,
        *,
        metadata: Optional[Mapping[str, str]] = None,
        customer_id: Optional[str] = None,
        status: Optional[str] = None,
        search: Optional[str] = None,
        page_size: int = 50,
    ) -> Iterator[ApiKeySummary]:
        """The keys of a query, newest first, page by page as they are read.

        :param metadata: top-level fields of the metadata, each with the text that it is, which is not
            empty
        """
        query: Dict[str, Union[str, int, None]] = {
            **{f"metadata.{name}": text for name, text in (metadata or {}).items()},
            "customerId": customer_id,
            "status": status,
            "search": search,
            "limit": page_size,
        }
        while True:
            path = f"/rt/projects/{self.project_id}/api-keys{_query(query)}"
            page: ApiKeyListResult = self._call("GET", path, None)
            yield from page["apiKeys"]
            query["cursor"] = page.get("nextCursor")
            if query["cursor"] is None:
                return

    def _call(
        self, method: str, path: str, body: Any, headers: Mapping[str, Optional[str]] = {}
    ) -> Any:
        sent: Headers = [("accept", "application/json")]
        sent += [(name, value) for name, value in headers.items() if value is not None]
        data = b""
        if body is not None:
            sent.append(("content-type", "application/json"))
            data = json.dumps(body).encode()
        try:
            answer = self._transport.send(method, path, sent, data, ANSWER_BYTES_MAX)
        except (OSError, http.client.HTTPException) as error:
            raise CeibaError(f"the Runtime gave no answer: {error!r}") from error
        try:
            parsed = json.loads(answer.body)
        except ValueError:
            parsed = None
        if answer.status != 200 or parsed is None:
            hint = HINTS.get(answer.status, "")
            raise CeibaError(f"the Runtime answered {answer.status}{hint}", answer.status, parsed)
        return parsed

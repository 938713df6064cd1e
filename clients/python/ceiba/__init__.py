"""Access control in front of the routes of an API: the client of the Ceiba Runtime."""

from .client import AuthorizeClient, CeibaError, Client
from .guard import AsgiGuard, WsgiGuard
from .judging import Access
from .settings import CeibaConfigError

__all__ = [
    "Access",
    "AsgiGuard",
    "AuthorizeClient",
    "CeibaConfigError",
    "CeibaError",
    "Client",
    "WsgiGuard",
]

"""Access control in front of the routes of an API: the client of the Ceiba Runtime."""

from .client import CeibaError, Client
from .guard import AsgiGuard, WsgiGuard

__all__ = ["AsgiGuard", "CeibaError", "Client", "WsgiGuard"]

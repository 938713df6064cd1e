"""An API in Python without any code of Ceiba. It answers every request with 200, an upgrade to h2c
with 101, and prints each as a line of JSON with its request line, headers and the length of its
body."""

import json
import sys
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from threading import Lock


WRITING = Lock()


class Handler(BaseHTTPRequestHandler):
    protocol_version = "HTTP/1.1"

    def __getattr__(self, name):
        if name.startswith("do_"):
            return self.answer
        raise AttributeError(name)

    def answer(self):
        length = self.read_body()
        # Not self.path: http.server removes slashes from it.
        seen = {"line": self.requestline, "headers": self.headers.items(), "length": length}
        with WRITING:
            print(json.dumps(seen), flush=True)
        if "h2c" in ",".join(self.headers.get_all("upgrade", [])):
            self.send_response(101)
            self.send_header("connection", "Upgrade")
            self.send_header("upgrade", "h2c")
            return self.end_headers()
        self.send_response(200)
        self.send_header("content-length", "5")
        self.send_header("ratelimit", "of the host")
        self.send_header("ratelimit-policy", "of the host")
        self.end_headers()
        if self.command != "HEAD":
            self.wfile.write(b"hello")

    def read_body(self):
        """Reads the whole body, for a gateway may wait until it is read. Returns its length in bytes."""
        if self.headers.get("transfer-encoding") != "chunked":
            return len(self.rfile.read(int(self.headers.get("content-length", 0))))
        length = 0
        while size := int(self.rfile.readline(), 16):
            length += len(self.rfile.read(size))
            self.rfile.readline()
        self.rfile.readline()
        return length

    def log_message(self, *_):
        pass


class Server(ThreadingHTTPServer):
    daemon_threads = True

    def handle_error(self, *_):
        """A connection that the gateway has closed."""


Server(("127.0.0.1", int(sys.argv[1])), Handler).serve_forever()

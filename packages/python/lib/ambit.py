"""Ambit's host functions. A request that is not granted ends the call."""

import _ambit
import base64
import json
import sys
from typing import Any, NamedTuple

__all__ = [
    "Response", "context", "env", "http_request", "log", "progress", "read_file",
    "recall_memory", "state_get", "state_set", "write_file",
]


class Response(NamedTuple):
    """The answer to a request; the names of headers are in lower case."""

    status: int
    headers: dict
    body: bytes

    def text(self) -> str:
        return self.body.decode()

    def json(self) -> Any:
        return json.loads(self.body)


def _call(name: str, *args: Any) -> Any:
    return json.loads(_ambit.invoke(name, json.dumps(args)))


def context() -> dict:
    """The execution id, the skill, and the caller's context."""
    return _call("context")


def log(*values: Any) -> None:
    """Writes a line to the call's log."""
    print(*values, file=sys.stderr)


def progress(done: float, total: "float | None" = None, message: "str | None" = None) -> None:
    """Reports the call's progress."""
    given = {"done": done, "total": total, "message": message}
    _call("progress", {name: value for name, value in given.items() if value is not None})


def env(name: str) -> "str | None":
    """A granted variable of the daemon's environment; None if it is not set."""
    return _call("env", name)


def read_file(path: str) -> str:
    """The text of a granted file, or with a relative path of a file of the skill."""
    return _call("read_file", path)


def write_file(path: str, text: str) -> None:
    """Replaces the text of a granted file."""
    _call("write_file", path, text)


def state_get(key: str) -> Any:
    """The value that is stored under a key; None if there is none."""
    return _call("state_get", key)


def state_set(key: str, value: Any) -> None:
    """Stores a JSON value. None deletes the key."""
    _call("state_set", key, value)


def recall_memory(query: str) -> list:
    """At most 20 entries of the caller's memory that contain words of the query."""
    return _call("recall_memory", query)


def http_request(
    url: str, method: str = "GET", headers: "dict | None" = None, body: "str | bytes | None" = None
) -> Response:
    """Sends a request to a granted host. A redirect is returned, not followed. Raises OSError."""
    request: dict = {"url": url, "method": method, "headers": headers or {}}
    if isinstance(body, str):
        request["body"] = body
    elif body is not None:
        request["base64"] = base64.b64encode(body).decode()
    answer = _call("http_request", request)
    body = base64.b64decode(answer["base64"]) if "base64" in answer else answer["text"].encode()
    return Response(answer["status"], answer["headers"], body)

"""Makes urllib.request send its requests through Ambit's egress proxy."""

import http.client
import io

import ambit


def install(request):
    """Replaces the handlers of connections. `request` is the namespace of urllib.request."""

    class HTTPHandler(request["AbstractHTTPHandler"]):
        handler_order = 500

        def __init__(self, debuglevel=None, context=None, check_hostname=None):
            super().__init__(debuglevel or 0)

        def http_open(self, req):
            headers = {**req.unredirected_hdrs}
            headers.update({name: value for name, value in req.headers.items() if name not in headers})
            try:
                answer = ambit.http_request(req.full_url, req.get_method(), headers, _body(req.data))
            except OSError as error:
                raise request["URLError"](error)
            return _response(answer, req.full_url)

        https_open = http_open
        http_request = request["AbstractHTTPHandler"].do_request_
        https_request = http_request

    request["HTTPHandler"] = request["HTTPSHandler"] = HTTPHandler


def _body(data):
    if data is None or isinstance(data, (bytes, bytearray, memoryview)):
        return None if data is None else bytes(data)
    if hasattr(data, "read"):
        read = data.read()
        return read.encode("iso-8859-1") if isinstance(read, str) else read
    return b"".join(data)


class _Answered:
    """A socket that has received an answer."""

    def __init__(self, received):
        self._received = received

    def makefile(self, mode):
        return io.BytesIO(self._received)


def _response(answer, url):
    reason = http.client.responses.get(answer.status, "")
    # The body is decoded and whole.
    left_out = {"transfer-encoding", "content-encoding", "content-length", "connection"}
    lines = [f"HTTP/1.1 {answer.status} {reason}"]
    for name, value in answer.headers.items():
        if name not in left_out:
            lines += [f"{name}: {each}" for each in (value if isinstance(value, list) else [value])]
    lines.append(f"content-length: {len(answer.body)}")
    received = "\r\n".join(lines).encode("iso-8859-1", "replace") + b"\r\n\r\n" + answer.body
    response = http.client.HTTPResponse(_Answered(received), url=url)
    response.begin()
    response.url = url
    response.msg = response.reason
    return response

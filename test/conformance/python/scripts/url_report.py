"""Take URLs on stdin apart, normalise them, and sort their queries."""
import sys
from urllib.parse import parse_qsl, quote, quote_plus, unquote, unquote_to_bytes, urldefrag, urlencode, urljoin, urlparse, urlsplit, urlunsplit

for line in sys.stdin:
    text = line.strip()
    try:
        url = urlsplit(text)
        port = url.port
    except ValueError as error:
        print(f"{text}: {error}")
        continue
    query = sorted((key, value) for key, value in parse_qsl(url.query, keep_blank_values=True) if not key.startswith("utm_"))
    host = (url.hostname or "").encode("idna").decode() if url.hostname else ""
    netloc = host + (f":{port}" if port and (url.scheme, port) not in {("http", 80), ("https", 443)} else "")
    print(urlunsplit((url.scheme, netloc, quote(unquote(url.path), safe="/~"), urlencode(query), "")))
    print("  ", url.username, url.password, url.hostname, port, url.fragment, urlparse(text).params)
base = "http://a/b/c/d;p?q"
print([urljoin(base, each) for each in ("g", "./g", "../g", "../../../g", "//g", "?y", "#s", "g;x=1/../y", "")])
print(quote("a b/ü&"), quote_plus("a b+ü"), unquote("%C3%BC%zz"), unquote_to_bytes("%ff"), urldefrag("x#y"), urlencode({"k": [1, 2], "ä": "é"}, doseq=True))

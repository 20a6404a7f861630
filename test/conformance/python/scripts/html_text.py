"""Extract readable text, links and headings from HTML."""
import sys
from html.parser import HTMLParser
from urllib.parse import urljoin


class Extractor(HTMLParser):
    SKIPPED = {"script", "style", "head"}
    BLOCKS = {"p", "div", "li", "h1", "h2", "h3", "br", "tr"}

    def __init__(self, base):
        super().__init__(convert_charrefs=True)
        self.base, self.links, self.text, self.skip, self.open = base, [], [], 0, []

    def handle_starttag(self, tag, attrs):
        self.open.append(tag)
        self.skip += tag in self.SKIPPED
        if tag in self.BLOCKS:
            self.text.append("\n")
        href = dict(attrs).get("href")
        if tag == "a" and href:
            self.links.append(urljoin(self.base, href))

    def handle_endtag(self, tag):
        self.skip -= tag in self.SKIPPED
        if tag in self.BLOCKS:
            self.text.append("\n")

    def handle_data(self, data):
        if not self.skip:
            self.text.append(" ".join(data.split()) + (" " if data[-1:].isspace() else ""))

    def handle_comment(self, data):
        self.links.append(f"comment:{data.strip()}")

    def handle_decl(self, decl):
        self.links.append(f"declaration:{decl}")


extractor = Extractor("https://example.org/docs/index.html")
extractor.feed(sys.stdin.read())
extractor.close()
print("\n".join(line.strip() for line in "".join(extractor.text).splitlines() if line.strip()))
for number, link in enumerate(extractor.links, 1):
    print(f"[{number}] {link}")

"""Count elements and the depth of a large XML file with a SAX handler."""
import io
import xml.sax
from collections import Counter
from xml.sax.saxutils import XMLGenerator, escape, quoteattr


class Counting(xml.sax.ContentHandler):
    def __init__(self):
        super().__init__()
        self.names, self.depth, self.deepest, self.text = Counter(), 0, 0, 0

    def startElement(self, name, attrs):
        self.names[name] += 1
        self.depth += 1
        self.deepest = max(self.deepest, self.depth)
        for key in attrs.getNames():
            self.names[f"{name}/@{key}"] += 1

    def endElement(self, name):
        self.depth -= 1

    def characters(self, content):
        self.text += len(content.strip())


out = io.StringIO()
generator = XMLGenerator(out, encoding="utf-8", short_empty_elements=True)
generator.startDocument()
generator.startElement("items", {})
for number in range(500):
    generator.startElement("item", {"id": str(number)})
    generator.characters(f"item <{number}>")
    generator.startElement("tag", {})
    generator.endElement("tag")
    generator.endElement("item")
generator.endElement("items")
handler = Counting()
xml.sax.parseString(out.getvalue().encode(), handler)
print(dict(handler.names), handler.deepest, handler.text)
print(escape("a < b & c"), quoteattr('say "it\'s"'))
try:
    xml.sax.parseString(b"<a><b></a>", handler)
except xml.sax.SAXParseException as error:
    print(error.getLineNumber(), error.getColumnNumber(), error.getMessage())

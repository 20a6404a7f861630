"""Turn XML into JSON: attributes with @, text with #, repeated elements as lists."""
import json
import sys
import xml.etree.ElementTree as ET


def convert(element):
    node = {f"@{name}": value for name, value in element.attrib.items()}
    for child in element:
        value = convert(child)
        if child.tag in node:
            if not isinstance(node[child.tag], list):
                node[child.tag] = [node[child.tag]]
            node[child.tag].append(value)
        else:
            node[child.tag] = value
    text = (element.text or "").strip()
    if not node:
        return text or None
    if text:
        node["#"] = text
    return node


try:
    root = ET.fromstring(sys.stdin.buffer.read())
except ET.ParseError as error:
    print("not well-formed:", error, error.code, error.position, file=sys.stderr)
    sys.exit(1)
print(json.dumps({root.tag: convert(root)}, indent=2, ensure_ascii=False))

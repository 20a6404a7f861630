"""Pretty-print XML from stdin with minidom and list its elements."""
import sys
from xml.dom import Node, minidom
from xml.parsers.expat import ExpatError

try:
    document = minidom.parseString(sys.stdin.read())
except ExpatError as error:
    sys.exit(f"line {error.lineno}, column {error.offset}: {error}")


def strip(node):
    for child in list(node.childNodes):
        if child.nodeType == Node.TEXT_NODE and not child.data.strip():
            node.removeChild(child)
        else:
            strip(child)


strip(document)
root = document.documentElement
made = document.createElement("made")
made.setAttribute("by", "xml_pretty & co")
made.appendChild(document.createTextNode("1 < 2"))
root.appendChild(made)
print(document.toprettyxml(indent="  ", encoding="UTF-8").decode())
print(sorted({element.tagName for element in document.getElementsByTagName("*")}))
print(root.firstChild.toxml(), root.lastChild.previousSibling is root.firstChild)

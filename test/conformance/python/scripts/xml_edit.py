"""Edit a Maven-like XML file with ElementTree and namespaces, and write it back."""
import sys
import xml.etree.ElementTree as ET

NS = {"m": "urn:project"}
ET.register_namespace("", NS["m"])
ET.register_namespace("x", "urn:extra")

tree = ET.parse("project.xml")
root = tree.getroot()
for dependency in root.iterfind(".//m:dependency", NS):
    name, version = (dependency.findtext(f"m:{tag}", default="-", namespaces=NS) for tag in ("name", "version"))
    print(f"{name}: {version}")
    if version == "-":
        ET.SubElement(dependency, f"{{{NS['m']}}}version").text = "1.0 <latest>"
found = root.find(".//m:dependency[@scope='test']", NS)
if found is None:
    sys.exit("no test dependency")
found.set("{urn:extra}note", 'quotes " and\nnewline')
root.insert(0, ET.Comment(" edited "))
ET.indent(tree, space="  ")
tree.write("project.xml", encoding="utf-8", xml_declaration=True)
print(ET.tostring(found, encoding="unicode"))
print(ET.canonicalize("<b y='2' x='1'><c></c></b>"), [event for event, _ in ET.iterparse("project.xml", ["start-ns", "comment"])])

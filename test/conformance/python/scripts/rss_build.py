"""Build an RSS feed from a JSON list of posts."""
import email.utils
import json
import sys
from datetime import datetime, timezone
from xml.etree.ElementTree import Element, ElementTree, SubElement, indent

posts = json.load(sys.stdin)
rss = Element("rss", version="2.0")
channel = SubElement(rss, "channel")
SubElement(channel, "title").text = "Updates"
for post in sorted(posts, key=lambda post: post["at"], reverse=True):
    item = SubElement(channel, "item")
    when = datetime.fromisoformat(post["at"]).replace(tzinfo=timezone.utc)
    for tag, text in (("title", post["title"]), ("pubDate", email.utils.format_datetime(when, usegmt=True)), ("description", post.get("body"))):
        if text is not None:
            SubElement(item, tag).text = text
    SubElement(item, "guid", isPermaLink="false").text = f"post-{post['id']:04d}"
indent(rss)
ElementTree(rss).write(sys.stdout, encoding="unicode", xml_declaration=True, short_empty_elements=False)
print()

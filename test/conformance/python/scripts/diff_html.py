"""Write an HTML comparison of two versions of a text."""
import difflib
import html

before = "Title\n\nThe first line.\nA <b>second</b> line & more.\nThe last line.\n".splitlines()
after = "Title\n\nThe first line changed.\nA <b>second</b> line & more.\nAn extra line: ünïcode.\n".splitlines()
page = difflib.HtmlDiff(tabsize=4, wrapcolumn=24).make_file(before, after, "before", "after", context=True, numlines=1)
with open("diff.html", "w", encoding="utf-8") as file:
    written = file.write(page)
print(written, "characters,", page.count("diff_chg"), "changes")
print(html.escape('<a href="x">\'&\'</a>'), html.unescape("&lt;&eacute;&#x1F600;&notit;&#128;"))

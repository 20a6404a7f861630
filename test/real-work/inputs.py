"""Writes the input files of the skills in skills.ts into the current folder, with the libraries of this machine."""
import os
import subprocess

import docx
import openpyxl
import pypdf
from PIL import Image, ImageDraw


def write(path, text):
    os.makedirs(os.path.dirname(path) or ".", exist_ok=True)
    with open(path, "w") as file:
        file.write(text)


rows = [f"{'north' if n % 2 else 'south'},{n * 37 % 101},{n % 7}" for n in range(60)]
write("sales.csv", "\n".join(["region,amount,returns", *rows]) + "\n")
write("people.json", '{"people": [{"name": "Ada", "age": 36}, {"name": "Bob", "age": 17}]}\n')
write("paper.md", "---\ntitle: A study\n---\n\n# Method\n\nWe *measured* it.\n\n| a | b |\n|---|---|\n| 1 | 2 |\n")
write("notes.md", "# Notes\n\n```dot\ndigraph flow { a -> b; b -> c }\n```\n\nText with **bold** words.\n")
write("deck.md", "% Deck\n% Ada\n\n# First\n\n- one\n- two\n\n# Second\n\nText.\n")
write("project/app.ts", "export const total: number = 3;\n// TODO: more\n")
write("project/lib.cts", "module.exports = { a: 1 };\n")

document = docx.Document()
document.add_heading("Contract", 0)
document.add_paragraph("The supplier delivers the goods.")
document.save("letter.docx")

book = openpyxl.Workbook()
for row in range(1, 11):
    book.active.append([row, f"=A{row}*2"])
book.save("book.xlsx")

canvas = Image.new("RGB", (320, 200), "white")
ImageDraw.Draw(canvas).ellipse((80, 40, 240, 160), fill="red")
canvas.save("photo.png")
canvas.save("photo.pdf")
blank = pypdf.PdfWriter()
blank.add_blank_page(300, 300)
with open("blank.pdf", "wb") as file:
    blank.write(file)

subprocess.run(["pandoc", "deck.md", "-o", "deck.pptx"], check=True)

identity = {"GIT_AUTHOR_NAME": "Ada", "GIT_COMMITTER_NAME": "Ada"}
identity |= {name.replace("NAME", "EMAIL"): "ada@example.org" for name in identity}
identity |= {f"GIT_{who}_DATE": "2026-01-02T00:00:00Z" for who in ("AUTHOR", "COMMITTER")}
for step in (["init", "-q", "-b", "main", "repo"], ["-C", "repo", "add", "."]):
    if step[0] == "-C":
        write("repo/app.py", "x = 1\n")
    subprocess.run(["git", *step], check=True)
for subject in ("feat: first", "fix: second"):
    subprocess.run(["git", "-C", "repo", "commit", "-q", "--allow-empty", "-m", subject], check=True, env=os.environ | identity)

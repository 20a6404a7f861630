import { execFileSync } from 'node:child_process';

const types = 'http://schemas.openxmlformats.org/package/2006';
const office = 'application/vnd.openxmlformats-officedocument';

/** The parts of a Word document with these paragraphs. */
export function docxParts(paragraphs: readonly string[]): Record<string, string> {
  const head = '<?xml version="1.0" encoding="UTF-8" standalone="yes"?>\n';
  const body = paragraphs.map((text) => `<w:p><w:r><w:t>${text}</w:t></w:r></w:p>`).join('\n');
  const main = 'http://schemas.openxmlformats.org/wordprocessingml/2006/main';
  const relation = 'http://schemas.openxmlformats.org/officeDocument/2006/relationships/officeDocument';
  return {
    '[Content_Types].xml': `${head}<Types xmlns="${types}/content-types"><Default Extension="rels" ContentType="application/vnd.openxmlformats-package.relationships+xml"/><Override PartName="/word/document.xml" ContentType="${office}.wordprocessingml.document.main+xml"/></Types>`,
    '_rels/.rels': `${head}<Relationships xmlns="${types}/relationships"><Relationship Id="rId1" Type="${relation}" Target="word/document.xml"/></Relationships>`,
    'word/document.xml': `${head}<w:document xmlns:w="${main}"><w:body>\n${body}\n</w:body></w:document>`,
  };
}

/** A file that Word opens. */
export function docxFile(parts: Record<string, string>): Buffer {
  return python(
    `import json, sys, zipfile
with zipfile.ZipFile(sys.stdout.buffer, "w", zipfile.ZIP_DEFLATED) as archive:
    for name, text in json.load(sys.stdin).items(): archive.writestr(name, text)`,
    JSON.stringify(parts),
  );
}

/** The parts of a Word file, after checking its checksums. */
export function openDocx(file: Buffer): Record<string, string> {
  const text = python(
    `import io, json, sys, zipfile
archive = zipfile.ZipFile(io.BytesIO(sys.stdin.buffer.read()))
assert archive.testzip() is None
print(json.dumps({name: archive.read(name).decode() for name in archive.namelist()}))`,
    file,
  );
  return JSON.parse(text.toString());
}

/**
 * A typical published skill for Word documents: instructions, scripts with the standard library, and no sidecar.
 */
export const docxSkill: Readonly<Record<string, string>> = {
  'SKILL.md':
    '---\nname: docx\ndescription: Unpacks, packs and validates Word documents.\n---\nRun scripts/unpack.py FILE FOLDER, edit the XML, scripts/pack.py FOLDER FILE, then scripts/validate.py FILE.\n',
  'scripts/unpack.py': `#!/usr/bin/env python3
import sys, zipfile
with zipfile.ZipFile(sys.argv[1]) as archive:
    archive.extractall(sys.argv[2])
    print(f"unpacked {len(archive.namelist())} parts")
`,
  'scripts/pack.py': `#!/usr/bin/env python3
import sys, zipfile
from pathlib import Path
folder = Path(sys.argv[1])
first = folder / "[Content_Types].xml"
with zipfile.ZipFile(sys.argv[2], "w", zipfile.ZIP_DEFLATED) as archive:
    for path in [first, *sorted(each for each in folder.rglob("*") if each.is_file() and each != first)]:
        archive.write(path, path.relative_to(folder))
print(f"packed {sys.argv[2]}")
`,
  'scripts/validate.py': `#!/usr/bin/env python3
import sys, zipfile
import xml.etree.ElementTree as xml
wanted = {"[Content_Types].xml", "_rels/.rels", "word/document.xml"}
with zipfile.ZipFile(sys.argv[1]) as archive:
    missing = wanted - set(archive.namelist())
    if missing: sys.exit(f"missing: {sorted(missing)}")
    for name in archive.namelist():
        try: xml.fromstring(archive.read(name))
        except xml.ParseError as error: sys.exit(f"{name}: {error}")
print(f"{sys.argv[1]} is valid")
`,
};

function python(program: string, input: string | Buffer): Buffer {
  return execFileSync('python3', ['-c', program], { input, maxBuffer: 64 * 1024 * 1024 });
}

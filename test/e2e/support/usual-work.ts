/** A task that a skill does with common programs. */
interface Work {
  id: string;
  exec: readonly string[];
  /** Required host files. */
  needs?: readonly string[];
  does: string;
  script: string;
  stdout: string;
}

const documentParts = `
import zipfile
parts = {
    '[Content_Types].xml': '<Types xmlns="http://schemas.openxmlformats.org/package/2006/content-types"><Default Extension="rels" ContentType="application/vnd.openxmlformats-package.relationships+xml"/><Override PartName="/word/document.xml" ContentType="application/vnd.openxmlformats-officedocument.wordprocessingml.document.main+xml"/></Types>',
    '_rels/.rels': '<Relationships xmlns="http://schemas.openxmlformats.org/package/2006/relationships"><Relationship Id="r1" Type="http://schemas.openxmlformats.org/officeDocument/2006/relationships/officeDocument" Target="word/document.xml"/></Relationships>',
    'word/document.xml': '<w:document xmlns:w="http://schemas.openxmlformats.org/wordprocessingml/2006/main"><w:body><w:p><w:r><w:t>Hello</w:t></w:r></w:p></w:body></w:document>',
}
with zipfile.ZipFile('a.docx', 'w') as file:
    for name, text in parts.items(): file.writestr(name, text)
`;

const server = '/usr/lib/postgresql/15/bin';

export const work: readonly Work[] = [
  {
    id: 'compiles-c',
    exec: ['gcc'],
    does: 'gcc compiles, links and the result runs',
    script: `printf '#include <stdio.h>\\n#include <math.h>\\nint main(int c, char **v) { printf("%%.3f\\\\n", sqrt(c + 1)); }' > a.c
gcc -O2 -Wall -o a a.c -lm && ./a`,
    stdout: '1.414\n',
  },
  {
    id: 'builds',
    exec: ['cmake', 'make', 'gcc'],
    does: 'cmake configures a project and builds it',
    script: `mkdir s
printf 'cmake_minimum_required(VERSION 3.10)\\nproject(p C)\\nadd_executable(p p.c)\\n' > s/CMakeLists.txt
printf '#include <stdio.h>\\nint main() { return puts("built") < 0; }' > s/p.c
cmake -S s -B b > log 2>&1 && cmake --build b >> log 2>&1 || cat log
b/p`,
    stdout: 'built\n',
  },
  {
    id: 'runs-java',
    exec: ['java', 'javac'],
    does: 'javac compiles a class and java runs it',
    script: `echo 'class A { public static void main(String[] a) { System.out.println(System.getProperty("user.name")); } }' > A.java
javac A.java && java A`,
    stdout: 'skill\n',
  },
  {
    id: 'packs',
    exec: ['npm'],
    does: 'npm runs a script of a package and packs it',
    script: `echo '{"name":"x","version":"1.0.0","scripts":{"hello":"node -p 6*7"}}' > package.json
npm run --silent hello && npm pack --silent`,
    stdout: '42\nx-1.0.0.tgz\n',
  },
  {
    id: 'asks-a-database',
    exec: ['psql'],
    needs: [`${server}/initdb`],
    does: 'psql asks a server that the skill has started',
    script: `${server}/initdb -D /tmp/d -A trust --wal-segsize=1 -N > /tmp/log 2>&1 &&
${server}/pg_ctl -D /tmp/d -l /tmp/log -o "-k /tmp -h 127.0.0.1" -w start > /dev/null || cat /tmp/log
psql -h /tmp -d postgres -Atc 'select 6 * 7'
psql -h 127.0.0.1 -d postgres -Atc 'select 7 * 7'
${server}/pg_ctl -D /tmp/d stop > /dev/null`,
    stdout: '42\n49\n',
  },
  {
    id: 'draws',
    exec: ['convert-im6.q16', 'identify-im6.q16'],
    does: 'ImageMagick writes text into a picture and resizes it',
    script: `convert-im6.q16 -size 100x60 xc:red -pointsize 20 -annotate +10+30 Hi a.png
convert-im6.q16 a.png -resize 50% b.jpg && identify-im6.q16 -format '%m %wx%h' b.jpg`,
    stdout: 'JPEG 50x30',
  },
  {
    id: 'prints',
    exec: ['soffice', 'python3'],
    does: 'soffice makes a PDF of a document',
    script: `python3 -c "$PARTS" && soffice --headless --convert-to pdf a.docx > log 2>&1 || cat log
head -c 5 a.pdf; ls`.replace('"$PARTS"', `'${documentParts.replaceAll("'", `'"'"'`)}'`),
    stdout: '%PDF-a.docx\na.pdf\nlog\n',
  },
  {
    id: 'reads-a-pdf',
    exec: ['ps2pdf', 'pdftotext'],
    does: 'ghostscript makes a PDF and pdftotext reads it',
    script: `printf '%%!PS\\n/Helvetica findfont 20 scalefont setfont 72 72 moveto (Hello) show showpage' > a.ps
ps2pdf a.ps a.pdf && pdftotext a.pdf - | head -1`,
    stdout: 'Hello\n',
  },
  {
    id: 'converts',
    exec: ['pandoc'],
    does: 'pandoc writes a document and reads it',
    script: `echo '# Hi' | pandoc -o a.docx && pandoc a.docx -t markdown`,
    stdout: '# Hi\n',
  },
  {
    id: 'computes',
    exec: ['Rscript'],
    does: 'R inverts a matrix',
    script: `Rscript -e 'cat(solve(matrix(c(2, 0, 0, 2), 2)))'`,
    stdout: '0.5 0 0 0.5',
  },
];

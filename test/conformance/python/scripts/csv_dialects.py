"""Read and write CSV in several dialects, with quotes, escapes and broken lines."""
import csv
import io
import sys

csv.register_dialect("pipes", delimiter="|", quotechar="'", escapechar="\\", doublequote=False, lineterminator="~\n")
rows = [["a", 'say "hi"', "x,y"], ["", "line\nbreak", "it's"], [1, 2.50, None], ["tab\t", " space ", "|pipe\\"]]
for dialect in ("excel", "excel-tab", "unix", "pipes"):
    out = io.StringIO()
    csv.writer(out, dialect).writerows(rows)
    print(dialect, repr(out.getvalue()))
    print(list(csv.reader(io.StringIO(out.getvalue()), dialect)) == [[str(cell) if cell is not None else "" for cell in row] for row in rows])
for text, options in (('a,"b', {}), ('a,"b', {"strict": True}), ('a,"b"c', {"strict": True}), ("a\0b", {}), ("1,2.5,x", {"quoting": csv.QUOTE_NONNUMERIC}), ('"1",2', {"quoting": csv.QUOTE_NONNUMERIC}), ("a b  c", {"delimiter": " "}), ("a;b", {"delimiter": ";;"})):
    try:
        print(list(csv.reader([text], **options)))
    except (csv.Error, ValueError, TypeError) as error:
        print(type(error).__name__, error)
sniffed = csv.Sniffer().sniff("name;age\n'A; B';3\n")
print(sniffed.delimiter, sniffed.quotechar, csv.Sniffer().has_header("name,age\nann,3\nbob,4\n"), csv.field_size_limit(), sorted(csv.list_dialects()))
reader = csv.DictReader(sys.stdin, restkey="more", restval="none")
for row in reader:
    print(reader.line_num, row)
print(reader.fieldnames)
try:
    csv.DictWriter(sys.stdout, ["a"]).writerow({"a": 1, "z": 2})
except ValueError as error:
    print(error)

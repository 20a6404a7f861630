"""Render a table with pluggable exporters that register themselves."""
import abc
import csv
import html
import io
import json
import sys


class Exporter(abc.ABC):
    known = {}

    def __init_subclass__(cls, /, name=None, **kwargs):
        super().__init_subclass__(**kwargs)
        if name:
            Exporter.known[name] = cls

    @abc.abstractmethod
    def export(self, rows):
        """Text of the rows."""

    @property
    @abc.abstractmethod
    def mime(self): ...


class JsonExporter(Exporter, name="json"):
    mime = "application/json"

    def export(self, rows):
        return json.dumps(rows)


class CsvExporter(Exporter, name="csv"):
    mime = "text/csv"

    def export(self, rows):
        out = io.StringIO(newline="")
        writer = csv.DictWriter(out, fieldnames=list(rows[0]), dialect="excel-tab")
        writer.writeheader()
        writer.writerows(rows)
        return out.getvalue()


class HtmlExporter(Exporter, name="html"):
    mime = "text/html"

    def export(self, rows):
        return "".join(f"<tr>{''.join(f'<td>{html.escape(str(value))}</td>' for value in row.values())}</tr>" for row in rows)


class Unfinished(Exporter, name="broken"):
    def export(self, rows):
        return super().export(rows)


rows = [{"name": "A & B", "size": 1.50}, {"name": "tab\there", "size": None}]
for name in sys.argv[1:] or sorted(Exporter.known):
    try:
        exporter = Exporter.known[name]()
        print(f"{exporter.mime}: {exporter.export(rows)!r}")
    except (KeyError, TypeError) as error:
        print(f"{name}: {type(error).__name__}: {error}")
print(sorted(Exporter.__abstractmethods__), issubclass(CsvExporter, Exporter), [cls.__name__ for cls in CsvExporter.__mro__])

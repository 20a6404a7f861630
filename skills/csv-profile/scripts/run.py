#!/usr/bin/env python3
"""Profile a CSV text: one JSON request on stdin, one JSON report on stdout.

Exit code 0: the report is on stdout. Exit code 1: the input cannot be profiled,
and stderr holds one sentence that says what to do about it.
"""

from __future__ import annotations

import csv
import io
import itertools
import json
import math
import re
import sys
from collections import Counter
from datetime import date
from fractions import Fraction

# Every number that bounds the report stands here, and ambit.yaml repeats them in its schemas.
CSV_CHARS_MAX = 2 * 1024 * 1024
COLUMNS_MAX = 500
TOP_DEFAULT = 5
TOP_MAX = 20
SHOWN_CHARS_MAX = 80
RAGGED_LINES_MAX = 10
# Below, a profile is there before anybody asks how far it is.
PROGRESS_CHARS_LEAST = 256 * 1024
# Any integer of 308 digits fits a double; one digit more may not, and then it has no mean.
INTEGER_DIGITS_MAX = 308
# JSON readers that use doubles (JavaScript's) lose digits beyond this, so larger integers go out as text.
INTEGER_EXACT_MAX = 2**53 - 1

DELIMITERS = (',', ';', '\t', '|')
SNIFFED_RECORDS = 50

MISSING = {'', 'na', 'n/a', '#n/a', 'nan', 'null', 'none'}
BOOLEANS = {'true', 'false', 'yes', 'no'}
# A leading zero means an identifier (a postcode, a phone number): 00123 must not become 123.
INTEGER = re.compile(r'[+-]?(?:0|[1-9][0-9]*)')
NUMBER = re.compile(r'[+-]?(?:(?:0|[1-9][0-9]*)(?:\.[0-9]*)?|\.[0-9]+)(?:[eE][+-]?[0-9]+)?')
# ISO 8601 only: nobody can tell whether 03/04/2024 is in March or in April.
DATE = re.compile(r'[0-9]{4}-[0-9]{2}-[0-9]{2}')
DATETIME = re.compile(
    r'([0-9]{4}-[0-9]{2}-[0-9]{2})[T ]([01][0-9]|2[0-3]):([0-5][0-9])'
    r'(?::([0-5][0-9])(?:\.([0-9]{1,9}))?)?(Z|([+-])([01][0-9]|2[0-3]):?([0-5][0-9]))?'
)


class BadInput(Exception):
    """What the caller can put right; its message is the sentence they read."""


def main() -> int:
    try:
        report = profile(**parse_request(sys.stdin.buffer.read()))
    except BadInput as problem:
        print(f'csv-profile: {problem}', file=sys.stderr)
        return 1
    # Bytes rather than print(): the report is UTF-8 whatever the locale of the sandbox says.
    text = json.dumps(report, ensure_ascii=False, allow_nan=False)
    sys.stdout.buffer.write(text.encode('utf-8', errors='replace') + b'\n')
    return 0


def parse_request(raw: bytes) -> dict:
    # The runtime has checked the schema already; whoever runs this script by hand has not.
    try:
        request = json.loads(raw)
    except (ValueError, RecursionError) as problem:
        raise BadInput('stdin is not JSON: send an object such as {"csv": "a,b\\n1,2\\n"}.') from problem
    if not isinstance(request, dict):
        raise BadInput('the input is not a JSON object: send one such as {"csv": "a,b\\n1,2\\n"}.')
    unknown = sorted(set(request) - {'csv', 'delimiter', 'header', 'top'})
    if unknown:
        key = json.dumps(shorten(unknown[0]))
        raise BadInput(f'unknown key {key}: use only csv, delimiter, header and top.')

    text = request.get('csv')
    if not isinstance(text, str):
        raise BadInput('"csv" is missing or not a string: put the text of the CSV file there.')
    if len(text) > CSV_CHARS_MAX:
        raise BadInput(
            f'"csv" has {len(text)} characters: send at most {CSV_CHARS_MAX}, such as a sample of the rows.'
        )
    if '\0' in text:
        raise BadInput('"csv" contains a NUL character: decode the file first, it is probably UTF-16.')

    delimiter = request.get('delimiter')
    if delimiter is not None and not (isinstance(delimiter, str) and re.fullmatch(r'[^"\r\n\0]', delimiter)):
        raise BadInput('"delimiter" must be one character, neither quote nor line break, or be left out.')

    header = request.get('header', True)
    if not isinstance(header, bool):
        raise BadInput('"header" must be true or false.')

    top = request.get('top', TOP_DEFAULT)
    # In Python a bool is an int, and top: true is a mistake all the same.
    if isinstance(top, bool) or not isinstance(top, int) or not 0 <= top <= TOP_MAX:
        raise BadInput(f'"top" must be a whole number from 0 to {TOP_MAX}.')

    return {'text': text, 'delimiter': delimiter, 'header': header, 'top': top}


def profile(text: str, delimiter: str | None, header: bool, top: int) -> dict:
    text = text[1:] if text.startswith('\ufeff') else text
    delimiter = delimiter or sniff(text)
    records = read_records(text, delimiter)

    first = next(records, None)
    width = len(first[1]) if first else 0
    if width > COLUMNS_MAX:
        raise BadInput(f'the first record has {width} cells: send at most {COLUMNS_MAX}; check "delimiter".')
    if first and not header:
        records = itertools.chain([first], records)

    # A count of each distinct value is all that is kept; every figure below follows from it.
    counts = [Counter() for _ in range(width)]
    rows = shorter = longer = 0
    ragged_lines = []
    for line, record in records:
        rows += 1
        if len(record) != width:
            shorter += len(record) < width
            longer += len(record) > width
            if len(ragged_lines) < RAGGED_LINES_MAX:
                ragged_lines.append(line)
        for column, cell in zip(counts, record):
            column[cell.strip()] += 1

    headers = [shorten(cell.strip()) for cell in first[1]] if first and header else [''] * width
    names = unique_names(headers)
    return {
        'delimiter': delimiter,
        'rows': rows,
        'ragged': {'rows': shorter + longer, 'shorter': shorter, 'longer': longer, 'lines': ragged_lines},
        'columns': [
            {'name': name, 'position': position, **({'header': original} if header else {}),
             **profile_column(values, rows, top)}
            for position, (name, original, values) in enumerate(told(zip(names, headers, counts), text, width), start=1)
        ],
    }


def told(columns, text: str, width: int):
    """Yield each column, and say on stderr how many are profiled."""
    for done, column in enumerate(columns, start=1):
        yield column
        if len(text) >= PROGRESS_CHARS_LEAST:
            print(f'::progress {done}/{width} columns', file=sys.stderr, flush=True)


def read_records(text: str, delimiter: str):
    """Yield (line where it starts, cells) for each record that is not a blank line."""
    # The csv module refuses cells beyond 128 KiB by default; the request is bounded as a whole.
    csv.field_size_limit(CSV_CHARS_MAX)
    # newline='' keeps line breaks inside quotes as they are. strict=True, because otherwise one
    # quote that is never closed swallows the rest of the file without a word.
    reader = csv.reader(io.StringIO(text, newline=''), delimiter=delimiter, strict=True)
    while True:
        line = reader.line_num + 1
        try:
            record = next(reader)
        except StopIteration:
            return
        except csv.Error as problem:
            raise BadInput(
                f'the record that starts at line {line} is not valid CSV ({problem}): '
                'close its quotes, and write a quote inside a quoted cell as "".'
            ) from problem
        if record:
            yield line, record


def sniff(text: str) -> str:
    """Choose the delimiter under which most of the first records are as wide as the very first.

    csv.Sniffer is not used: it may answer with a letter, and it fails on a single column.
    """
    best, best_score = ',', (0.0, 0)
    for candidate in DELIMITERS:
        widths = []
        try:
            for _, record in itertools.islice(read_records(text, candidate), SNIFFED_RECORDS):
                widths.append(len(record))
        except BadInput:
            pass  # The wrong delimiter makes good quotes look bad; what was read so far counts.
        if not widths or widths[0] == 1:
            continue
        score = (widths.count(widths[0]) / len(widths), widths[0])
        if score[0] >= 0.5 and score > best_score:
            best, best_score = candidate, score
    return best


def unique_names(headers: list) -> list:
    """Name every column: a blank header by its position, a repeated one with _2, _3, …"""
    # Headers that occur in the file keep their names, so that a, a, a_2 becomes a, a_3, a_2.
    taken = set(headers)
    seen = set()
    names = []
    for position, header in enumerate(headers, start=1):
        name = header or f'column_{position}'
        base, number = name, 2
        while name in seen or (name != header and name in taken):
            name = f'{base}_{number}'
            number += 1
        seen.add(name)
        names.append(name)
    return names


def profile_column(counts: Counter, rows: int, top: int) -> dict:
    present = {value: count for value, count in counts.items() if value.lower() not in MISSING}
    kinds = {value: classify(value) for value in present}
    type_counts = Counter()
    for value, count in present.items():
        type_counts[kinds[value][0]] += count
    kind = column_type(set(type_counts))
    total = sum(present.values())

    return {
        'type': kind,
        'typeCounts': dict(sorted(type_counts.items())),
        # Short rows have no cell here at all, so missing is counted from the rows, not from the cells.
        'missing': rows - total,
        'distinct': len(present),
        **extremes(kind, present, kinds, total),
        'top': most_frequent(present, top),
    }


def classify(value: str) -> tuple:
    """Give a value's type and the key that orders it among values of that type."""
    if INTEGER.fullmatch(value) and len(value.lstrip('+-')) <= INTEGER_DIGITS_MAX:
        return 'integer', int(value)
    if NUMBER.fullmatch(value) and math.isfinite(float(value)):
        return 'number', float(value)
    if value.lower() in BOOLEANS:
        return 'boolean', None
    try:
        if DATE.fullmatch(value):
            return 'date', instant(value)
        parts = DATETIME.fullmatch(value)
        if parts:
            return 'datetime', instant(*parts.groups())
    except ValueError:
        pass  # It looks like a date and is none: 2023-02-29.
    return 'string', None


def instant(
    day, hour=0, minute=0, second=None, fraction=None, _zone=None, sign='+', zone_hour=None, zone_minute=None
) -> tuple:
    """Turn the parts of a date or datetime into (seconds, nanoseconds) in UTC."""
    # Plain integers, since datetime overflows for year 1 with an offset. No offset is read as UTC.
    midnight = date.fromisoformat(day).toordinal() * 86400
    seconds = midnight + int(hour) * 3600 + int(minute) * 60 + int(second or 0)
    offset = int(zone_hour or 0) * 3600 + int(zone_minute or 0) * 60
    return seconds + (offset if sign == '-' else -offset), int((fraction or '').ljust(9, '0'))


def column_type(kinds: set) -> str:
    if not kinds:
        return 'empty'
    if len(kinds) == 1:
        return next(iter(kinds))
    if kinds == {'integer', 'number'}:
        return 'number'
    if kinds == {'date', 'datetime'}:
        return 'datetime'
    return 'string'


def extremes(kind: str, present: dict, kinds: dict, total: int) -> dict:
    if kind in ('integer', 'number'):
        numbers = {value: kinds[value][1] for value in present}
        return {
            'min': json_number(min(numbers.values())),
            'max': json_number(max(numbers.values())),
            'mean': mean([(numbers[value], count) for value, count in present.items()], total),
        }
    if kind in ('date', 'datetime'):
        # The value itself breaks a tie, so that two spellings of one instant always print the same.
        order = sorted(present, key=lambda value: (kinds[value][1], value))
        return {'min': order[0], 'max': order[-1]}
    if kind == 'string':
        lengths = [len(value) for value in present]
        return {'minLength': min(lengths), 'maxLength': max(lengths)}
    return {}


def json_number(number):
    if isinstance(number, int) and abs(number) > INTEGER_EXACT_MAX:
        return str(number)
    return number


def mean(weighted: list, total: int) -> float:
    if all(isinstance(number, int) for number, _ in weighted):
        # Exact until the division, which Python rounds correctly.
        return sum(number * count for number, count in weighted) / total
    try:
        result = math.fsum(number * count for number, count in weighted) / total
        if math.isfinite(result):
            return result
    except (OverflowError, ValueError):
        pass
    # The sum of values near the largest double overflows, their mean does not. Fractions are exact, but slow.
    return float(sum(Fraction(number) * count for number, count in weighted) / total)


def most_frequent(present: dict, top: int) -> list:
    # Ties in the order of the text, so that the same file always gives the same report.
    ranked = sorted(present.items(), key=lambda entry: (-entry[1], entry[0]))[:top]
    entries = []
    for value, count in ranked:
        entry = {'value': shorten(value), 'count': count}
        if len(value) > SHOWN_CHARS_MAX:
            entry['truncated'] = True
        entries.append(entry)
    return entries


def shorten(text: str) -> str:
    if len(text) <= SHOWN_CHARS_MAX:
        return text
    return text[: SHOWN_CHARS_MAX - 1] + '…'


if __name__ == '__main__':
    sys.exit(main())

import { spawnSync } from 'node:child_process';
import { fileURLToPath } from 'node:url';
import { expect, test } from 'vitest';

const script = fileURLToPath(new URL('../../skills/csv-profile/scripts/run.py', import.meta.url));

const regular = { rows: 0, shorter: 0, longer: 0, lines: [] };

test('profiles a file with columns of every type', () => {
  const csv = [
    'id,price,active,day,seen,city,note',
    '1,0.5,true,2024-02-29,2024-02-29T10:00:00Z,Zoë,',
    '2,2,no,2024-03-01,2024-02-29T10:30:00+01:00,Ås,',
    '3,1e1,yes,2023-12-31,2024-02-29 09:45,Zoë,',
    '',
  ].join('\n');

  const three = (type: string) => ({ distinct: 3, typeCounts: { [type]: 3 } });
  expect(profile({ csv, top: 1 })).toEqual({
    delimiter: ',',
    rows: 3,
    ragged: regular,
    columns: [
      column(1, 'id', 'integer', ['1'], { min: 1, max: 3, mean: 2, ...three('integer') }),
      column(2, 'price', 'number', ['0.5'], {
        min: 0.5,
        max: 10,
        mean: 12.5 / 3,
        distinct: 3,
        typeCounts: { integer: 1, number: 2 },
      }),
      column(3, 'active', 'boolean', ['no'], three('boolean')),
      column(4, 'day', 'date', ['2023-12-31'], { min: '2023-12-31', max: '2024-03-01', ...three('date') }),
      column(5, 'seen', 'datetime', ['2024-02-29 09:45'], {
        min: '2024-02-29T10:30:00+01:00',
        max: '2024-02-29T10:00:00Z',
        ...three('datetime'),
      }),
      column(6, 'city', 'string', ['Zoë', 'Zoë'], {
        minLength: 2,
        maxLength: 3,
        distinct: 2,
        typeCounts: { string: 3 },
      }),
      column(7, 'note', 'empty', [], { missing: 3 }),
    ],
  });
});

test('reads a byte order mark, CRLF, blank lines and quoted line breaks', () => {
  const csv = '\ufeffname,text\r\nann,"one\r\ntwo, ""three"""\r\n\r\nbob,four\r\n';

  expect(profile({ csv })).toEqual({
    delimiter: ',',
    rows: 2,
    ragged: regular,
    columns: [
      column(1, 'name', 'string', ['ann', 'bob'], { minLength: 3, maxLength: 3 }),
      column(2, 'text', 'string', ['four', 'one\r\ntwo, "three"'], { minLength: 4, maxLength: 17 }),
    ],
  });
});

test('detects the delimiter that makes rows as wide as the header', () => {
  expect([
    profile({ csv: 'a;b\n1,5;2,5\n3,5;4,5\n' }).delimiter,
    profile({ csv: 'a\tb\n1\t2\n' }).delimiter,
    profile({ csv: 'a|b\n"x|y"|2\n' }).delimiter,
    profile({ csv: '"a";"b,c"\n"1";"2"\n' }).delimiter,
    profile({ csv: 'one column\nof words, not cells\n' }).delimiter,
    profile({ csv: 'a:b\n1:2\n', delimiter: ':' }).delimiter,
  ]).toEqual([';', '\t', '|', ';', ',', ':']);
});

test('counts and locates ragged rows, and treats their absent cells as missing', () => {
  expect(profile({ csv: 'a,b\n1\n"2\n2",3\n4,5,6\n' })).toEqual({
    delimiter: ',',
    rows: 3,
    ragged: { rows: 2, shorter: 1, longer: 1, lines: [2, 5] },
    columns: [
      column(1, 'a', 'string', ['1', '2\n2', '4'], {
        minLength: 1,
        maxLength: 3,
        typeCounts: { integer: 2, string: 1 },
      }),
      column(2, 'b', 'integer', ['3', '5'], { missing: 1, min: 3, max: 5, mean: 4 }),
    ],
  });
});

test('renames blank and repeated headers to unique names that do not occur in the file', () => {
  const columns = profile({ csv: 'a,,a,a_2,column_2, a \n' }).columns;

  expect(columns.map(({ name, header }) => [name, header])).toEqual([
    ['a', 'a'],
    ['column_2_2', ''],
    ['a_3', 'a'],
    ['a_2', 'a_2'],
    ['column_2', 'column_2'],
    ['a_4', 'a'],
  ]);
});

test('reads the first record as data and numbers the columns without a header', () => {
  expect(profile({ csv: '7,x\n8,x\n', header: false })).toEqual({
    delimiter: ',',
    rows: 2,
    ragged: regular,
    columns: [
      column(1, 'column_1', 'integer', ['7', '8'], { min: 7, max: 8, mean: 7.5 }),
      column(2, 'column_2', 'string', ['x', 'x'], { minLength: 1, maxLength: 1 }),
    ].map(({ header: _, ...columnOf }) => columnOf),
  });
});

test('recognizes every spelling of a missing value', () => {
  const cells = ['NaN', 'NA', 'n/a', '#N/A', 'null', 'NONE', '""', '  '];

  const csv = ['a,b', ...cells.map((cell) => `${cell},1`)].join('\n');
  expect(profile({ csv }).columns[0]).toEqual(column(1, 'a', 'empty', [], { missing: 8 }));
});

test('preserves every digit of integers beyond the range of a double', () => {
  const huge = '123456789012345678901234567890';

  const top = [`-${huge}`, huge, '9007199254740991'];
  expect(profile({ csv: `n\n-${huge}\n9007199254740991\n${huge}\n` }).columns[0]).toEqual(
    column(1, 'n', 'integer', top, { min: `-${huge}`, max: huge, mean: 3002399751580330.5 }),
  );
});

test('reads values that only resemble numbers or dates as strings', () => {
  const dates = ['31/05/2024', '2023-02-29', '2024-01-01T24:00'];
  const cells = ['007', '1e999', '1 000', '0x1F', ...dates, '٣', 'Infinity'];

  expect(profile({ csv: ['a', ...cells].join('\n'), delimiter: ',' }).columns[0]?.typeCounts).toEqual({
    string: cells.length,
  });
});

test('shows 80 characters of a long value and measures all of it', () => {
  expect(profile({ csv: `a\n${'x'.repeat(80)}\n${'y'.repeat(200_000)}\n` }).columns[0]).toEqual({
    ...column(1, 'a', 'string', ['x', 'y'], { minLength: 80, maxLength: 200_000 }),
    top: [
      { value: 'x'.repeat(80), count: 1 },
      { value: `${'y'.repeat(79)}…`, count: 1, truncated: true },
    ],
  });
});

test('sorts values by frequency, and ties by text', () => {
  const csv = 'a\nc\nb\nb\na\nd\nd\n';

  expect(profile({ csv, top: 3 }).columns[0]?.top).toEqual([
    { value: 'b', count: 2 },
    { value: 'd', count: 2 },
    { value: 'a', count: 1 },
  ]);
  expect(profile({ csv, top: 0 }).columns[0]?.top).toEqual([]);
});

test('profiles an empty text without columns, and a header alone with empty columns', () => {
  expect(profile({ csv: '' })).toEqual({ delimiter: ',', rows: 0, ragged: regular, columns: [] });
  expect(profile({ csv: 'only' })).toEqual({
    delimiter: ',',
    rows: 0,
    ragged: regular,
    columns: [column(1, 'only', 'empty', [], {})],
  });
});

test('profiles 500 columns and refuses 501', () => {
  const row = (width: number) => JSON.stringify({ csv: Array(width).fill('1').join(',') });

  expect(JSON.parse(run(row(500)).stdout).columns.length).toBe(500);
  expect(run(row(501))).toEqual({
    status: 1,
    stdout: '',
    stderr: 'csv-profile: the first record has 501 cells: send at most 500; check "delimiter".\n',
  });
});

test.each([
  ['', 'stdin is not JSON: send an object such as {"csv": "a,b\\n1,2\\n"}.'],
  ['[1]', 'the input is not a JSON object: send one such as {"csv": "a,b\\n1,2\\n"}.'],
  ['{"csv": "", "sep": ";"}', 'unknown key "sep": use only csv, delimiter, header and top.'],
  ['{}', '"csv" is missing or not a string: put the text of the CSV file there.'],
  ['{"csv": "a\\u0000"}', '"csv" contains a NUL character: decode the file first, it is probably UTF-16.'],
  [
    '{"csv": "", "delimiter": "::"}',
    '"delimiter" must be one character, neither quote nor line break, or be left out.',
  ],
  ['{"csv": "", "header": "yes"}', '"header" must be true or false.'],
  ['{"csv": "", "top": true}', '"top" must be a whole number from 0 to 20.'],
  [
    JSON.stringify({ csv: 'x'.repeat(2_097_153) }),
    '"csv" has 2097153 characters: send at most 2097152, such as a sample of the rows.',
  ],
  [
    '{"csv": "a\\n1\\n\\"2\\n3\\n"}',
    'the record that starts at line 3 is not valid CSV (unexpected end of data): ' +
      'close its quotes, and write a quote inside a quoted cell as "".',
  ],
])('refuses bad input %# with exit code 1 and one sentence that says what to do', (stdin, sentence) => {
  expect(run(stdin)).toEqual({ status: 1, stdout: '', stderr: `csv-profile: ${sentence}\n` });
});

test('reports progress by columns for a large file, and none for a small one', () => {
  const row = `${'a'.repeat(70_000)},${'b'.repeat(70_000)}\n`;
  const { status, stderr } = run(JSON.stringify({ csv: `x,y\n${row}${row}` }));
  expect({ status, stderr }).toEqual({
    status: 0,
    stderr: '::progress 1/2 columns\n::progress 2/2 columns\n',
  });
  expect(run(JSON.stringify({ csv: 'x,y\n1,2\n' })).stderr).toBe('');
});

type Column = { name: string; header?: string; typeCounts: Record<string, number>; top: object[] };
type Report = { delimiter: string; rows: number; ragged: object; columns: Column[] };

function profile(input: { csv: string; delimiter?: string; header?: boolean; top?: number }): Report {
  const { status, stdout, stderr } = run(JSON.stringify(input));
  expect({ status, stderr }).toEqual({ status: 0, stderr: '' });
  return JSON.parse(stdout);
}

function run(stdin: string) {
  const { status, stdout, stderr } = spawnSync('python3', [script], { input: stdin, encoding: 'utf8' });
  return { status, stdout, stderr };
}

/** The profile of a column that has only these cells, all of its type. `given` replaces what differs from that. */
function column(position: number, name: string, type: string, cells: readonly string[], given: object) {
  const values = [...new Set(cells)];
  return {
    name,
    position,
    header: name,
    type,
    missing: 0,
    distinct: values.length,
    typeCounts: cells.length === 0 ? {} : { [type]: cells.length },
    ...given,
    top: values.map((value) => ({ value, count: cells.filter((cell) => cell === value).length })),
  };
}

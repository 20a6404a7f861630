import { readFile } from 'node:fs/promises';
import { problemCodes } from '@ambit/api';
import { expect, test } from 'vitest';

test('docs/http.md lists each code with its status, and no other code', async () => {
  const page = await readFile(new URL('../../../../../docs/http.md', import.meta.url), 'utf8');
  const rows = [...page.matchAll(/^\| ((?:`[A-Z_]+`(?:, )?)+) \| (\d+) \|/gm)];
  const written = rows.flatMap(([, codes = '', status]) =>
    codes.split(', ').map((code) => [code.replaceAll('`', ''), Number(status)] as const),
  );
  const answered = Object.entries(problemCodes).map(([code, { status }]) => [code, status] as const);
  expect(written.toSorted()).toEqual(answered.toSorted());
});

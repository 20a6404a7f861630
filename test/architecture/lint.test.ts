import { ESLint, Linter } from 'eslint';
import { expect, test } from 'vitest';
import { repository } from '../support/daemon-process.ts';

test.each([
  ['using a = b;', 1],
  ['async () => { await using a = b; };', 1],
  ['/(?i:a)b/.test(a);', 1],
  ['new URLPattern(a);', 1],
  ['const a = b; for (const c of a) /(?:a)(?<n>b)(?=c)/i.test(c);', 0],
])('lint reports syntax that the lowest Node does not support: %s', async (code, problems) => {
  expect(await problemsOf(code)).toBe(problems);
});

test.each([
  ['({ a, ...{ b, c } });', 1],
  ['f({ ...{ b }, ...{ c }, ...d });', 2],
  ['({ a, ...b, ...(c ? { d } : {}), ...e({ f }) });', 0],
])('lint reports literals that are spread: %s', async (code, problems) => {
  expect(await problemsOf(code)).toBe(problems);
});

/** Counts the problems that the rules about syntax report. */
async function problemsOf(code: string): Promise<number> {
  const eslint = new ESLint({ cwd: repository });
  const { rules } = await eslint.calculateConfigForFile('packages/core/src/index.ts');
  const restricted = ['no-restricted-syntax', 'no-restricted-globals'];
  const config = { rules: Object.fromEntries(restricted.map((rule) => [rule, rules[rule]])) };
  const found = new Linter().verify(code, [config]);
  expect(found.filter(({ ruleId }) => !restricted.includes(ruleId ?? ''))).toEqual([]);
  return found.length;
}

import { globSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { repository } from '../support/daemon-process.ts';

/** A timeout of a test, a hook or a wait, as an option or as the last argument. */
const timeouts = [
  /^ *\},(?: |\n *)[\d_]+,?\s*\);$/m,
  /\b(?:waitFor|waitUntil)\([^;]*?,\s*[\d_]+,?\s*\);$/m,
  /= \{ timeout: [\d_]+ \};$/m,
  /\b(?:test|describe|poll|waitFor|waitUntil)\b[^;]*?\{\s*timeout: [\d_]/,
];

const hasTimeout = (text: string): boolean => timeouts.some((pattern) => pattern.test(text));

test('finds a timeout of a test, a hook and a wait, and none elsewhere', () => {
  const found = [
    "test('a', () => {\n}, 60_000);",
    "test(\n  'a',\n  () => {\n  },\n  120_000,\n);",
    "test('a', { timeout: 60_000 }, () => {});",
    "test('a', {\n  timeout: 60_000,\n}, () => {});",
    'await vi.waitUntil(() => isAsked, 5000);',
    'await vi.waitFor(\n  () => isAsked,\n  5000,\n);',
    'await vi.waitFor(() => isAsked, { timeout: 500 });',
    'const patience = { timeout: 20_000 };',
    'await expect\n  .poll(asked, { timeout: 20_000 })',
  ];
  const other = [
    "test('a', () => {\n  spawn('sleep', { timeout: seconds });\n});",
    "await store.run('invite', 'known', 'c', 60_000);",
    'await vi.waitUntil(() => asked === 20_000);',
  ];
  expect([found.filter((text) => !hasTimeout(text)), other.filter(hasTimeout)]).toEqual([[], []]);
});

test('no test has a timeout of its own, because it would measure how busy the machine is', () => {
  const files = [
    'packages/*/src/**/*.test.ts',
    'examples/*/src/**/*.test.ts',
    'test/{architecture,contract,conformance,security,skills,e2e}/**/*.ts',
  ];
  const own = 'test/architecture/timeouts.test.ts';
  const paths = files.flatMap((pattern) => globSync(pattern, { cwd: repository, exclude: [own] }));
  expect(paths.length).toBeGreaterThan(500);
  expect(paths.filter((path) => hasTimeout(readFileSync(join(repository, path), 'utf8')))).toEqual([]);
});

import { fileURLToPath } from 'node:url';
import { expect, test } from 'vitest';
import { takeBounds } from '../../process/sandbox/workspace/take-files.ts';
import { quickjsFolder } from '../pool/host-command.ts';
import { callLog } from './call-log.mjs';
import { openEntries } from './entries.mjs';

test('a call imports a file as it was loaded, even after the buffer was overwritten', async () => {
  const files = { 'index.js': 'export default () => import("./late.js")', 'late.js': 'export const n = 1;' };
  const arrived = Buffer.from(Object.values(files).join(''));
  const entries = await openEntries({
    extismPath: fileURLToPath(import.meta.resolve('@extism/extism')),
    quickjsFolder,
    pythonFolder: '',
  });
  const parts = Object.entries(files).map(([path, { length }]) => ({ path, bytes: length }));
  expect(await entries.load('key', { kind: 'script', path: 'index.js', files: parts }, arrived)).toBe(
    undefined,
  );
  arrived.fill(0);
  const bounds = {
    memoryBytes: 64 * 2 ** 20,
    outputBytes: 1000,
    fuel: 2n ** 40n,
    tableGrowth: 1000,
    name: 'late',
    env: {},
    diskBytes: 0,
    fileBytes: 0,
    takeBounds,
    skillFiles: { list: () => [], read: () => new Uint8Array() },
  };
  const { verdict, output } = await entries.call(
    'key',
    Buffer.from('null'),
    bounds,
    callLog(1000),
    () => null,
  );
  expect({ verdict, output: new TextDecoder().decode(output) }).toEqual({
    verdict: { status: 'returned' },
    output: '{"n":1}',
  });
});

test('a host whose interpreter is gone refuses Python, and takes further calls', async () => {
  const entries = await openEntries({
    extismPath: fileURLToPath(import.meta.resolve('@extism/extism')),
    quickjsFolder,
    pythonFolder: '/nonexistent',
  });
  const target = { kind: 'file', name: 'run.py' } as const;
  expect(
    await entries.load('python', { kind: 'python', target, files: [], others: [] }, Buffer.alloc(0)),
  ).toBe(
    "needs the package @ambit/python, which cannot be loaded: ENOENT: no such file or directory, open '/nonexistent/python.wasm.br'",
  );
  const script = Buffer.from('export default () => 1');
  const files = [{ path: 'index.js', bytes: script.length }];
  expect(await entries.load('script', { kind: 'script', path: 'index.js', files }, script)).toBe(undefined);
});

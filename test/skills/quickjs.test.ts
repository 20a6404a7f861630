import { readFile } from 'node:fs/promises';
import { expect, test } from 'vitest';
import { buildQuickjs, quickjsPath } from '../../scripts/build-quickjs.mjs';

test('the committed QuickJS is identical to the metered engine of its package', async () => {
  expect(Buffer.compare(await buildQuickjs(), await readFile(quickjsPath))).toBe(0);
});

test('has the meter and imports its memory', async () => {
  const module = new WebAssembly.Module(await readFile(quickjsPath));
  const meter = WebAssembly.Module.exports(module).filter(({ name }) => name.startsWith('ambit:'));
  expect(meter.map(({ name, kind }) => `${name} ${kind}`).sort()).toEqual([
    'ambit:begin function',
    'ambit:fuel function',
    'ambit:pages function',
    'ambit:refused function',
    'ambit:start function',
  ]);
  const memories = WebAssembly.Module.imports(module).filter(({ kind }) => kind === 'memory');
  expect(memories).toEqual([{ module: 'a', name: 'a', kind: 'memory' }]);
});

import { readFile } from 'node:fs/promises';
import { describe, expect, test } from 'vitest';
import {
  artefactPath,
  buildScript,
  buildSkill,
  scriptPath,
  scriptSkills,
  wasmSkills,
} from '../../scripts/build-skills.mjs';

const ids = await wasmSkills();

test('lists every WASM skill', () => {
  expect(ids).toEqual(['text-diff', 'text-redact']);
});

describe.each(ids)('%s', (id) => {
  test('the committed module is identical to a build from its source', async () => {
    const built = await buildSkill(id);
    expect(Buffer.compare(built, await readFile(artefactPath(id)))).toBe(0);
  });

  test('the module is small', async () => {
    expect((await readFile(artefactPath(id))).byteLength).toBeLessThan(32 * 1024);
  });

  test('imports only functions of the Extism host, and none with access to files or networks', async () => {
    const module = await WebAssembly.compile(await readFile(artefactPath(id)));
    expect(
      WebAssembly.Module.imports(module)
        .map(({ module, name }) => `${module} ${name}`)
        .sort(),
    ).toEqual([
      'extism:host/env alloc',
      'extism:host/env error_set',
      'extism:host/env input_length',
      'extism:host/env input_load_u64',
      'extism:host/env input_load_u8',
      'extism:host/env output_set',
      'extism:host/env store_u64',
      'extism:host/env store_u8',
    ]);
    expect(WebAssembly.Module.exports(module)).toEqual([
      { name: 'run', kind: 'function' },
      { name: 'memory', kind: 'memory' },
    ]);
  });

  test('limits its own memory to 16 MiB', async () => {
    const memory = await memoryOf(await readFile(artefactPath(id)));
    expect(() => memory.grow(256 - memory.buffer.byteLength / 65_536)).not.toThrow();
    expect(() => memory.grow(1)).toThrow(RangeError);
  });
});

const scripts = await scriptSkills();

test('lists every script skill', () => {
  expect(scripts).toEqual(['json-query', 'web-fetch']);
});

test.each(scripts)('%s: the committed file is identical to a build from its source', async (id) => {
  expect(Buffer.compare(await buildScript(id), await readFile(scriptPath(id)))).toBe(0);
});

test.each(scripts)('%s: names the licences of its dependencies, and ships their texts', async (id) => {
  const text = await readFile(scriptPath(id), 'utf8');
  const notice = await readFile(new URL(`../../packages/skill-${id}-js/notice.txt`, import.meta.url), 'utf8');
  expect(text.startsWith(`/*\n${notice}*/\n`)).toBe(true);
  for (const [name] of notice.matchAll(/LICENSE-\w+/g)) {
    const licence = await readFile(new URL(`../../skills/${id}/${name}`, import.meta.url), 'utf8');
    expect(licence.length).toBeGreaterThan(1000);
  }
});

async function memoryOf(bytes: Uint8Array<ArrayBuffer>): Promise<WebAssembly.Memory> {
  const module = await WebAssembly.compile(bytes);
  const host = Object.fromEntries(WebAssembly.Module.imports(module).map(({ name }) => [name, () => 0n]));
  const { exports } = await WebAssembly.instantiate(module, { 'extism:host/env': host });
  return exports['memory'] as WebAssembly.Memory;
}

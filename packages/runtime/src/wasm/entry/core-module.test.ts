import { describe, expect, test } from 'vitest';
import { moduleOf } from '../testing/module-of.ts';
import { whyNotCoreModule } from './core-module.ts';

const suffix =
  '; a script’s name ends in .js, .mjs or .py, and a module is compiled WebAssembly (an Extism plug-in or a WASI command)';

describe('files that are not core modules are refused with what they are', () => {
  test.each([
    ['nothing', '', `is empty${suffix}`],
    ['JavaScript', 'export function run() {}', `is text${suffix}`],
    ['WebAssembly’s own text', '(module)', `is text${suffix}`],
    [
      'a manifest',
      '{"wasm":[{"path":"/etc/passwd"}]}',
      `is JSON, and a plug-in cannot have its own manifest${suffix}`,
    ],
    ['a program', '\u007fELF\u0002\u0001', `is not WebAssembly${suffix}`],
  ])('%s is not a core module', (_, text, problem) => {
    expect(whyNotCoreModule(new TextEncoder().encode(text))).toBe(problem);
  });

  test.each([
    [
      'a component',
      [0x0d, 0, 1, 0],
      'is a WebAssembly component; build it as a core module (an Extism plug-in or a WASI command)',
    ],
    ['another version', [2, 0, 0, 0], 'has a WebAssembly version other than 1'],
    ['no version', [], 'has a WebAssembly version other than 1'],
  ])('%s is not a core module', (_, version, problem) => {
    expect(whyNotCoreModule(Uint8Array.from([0x00, 0x61, 0x73, 0x6d, ...version]))).toBe(problem);
  });

  test('two memories are refused, even if their number is encoded in more bytes than necessary', () => {
    const bytes = moduleOf('(module (memory 1) (memory 1))');
    expect(whyNotCoreModule(bytes)).toBe('has more than one memory');
    const padded = Uint8Array.from([...bytes.subarray(0, 8), 5, 0x87, 0x80, 0, 0x82, 0x80, 0, 0, 1, 0, 1]);
    expect(new WebAssembly.Module(padded)).toBeInstanceOf(WebAssembly.Module);
    expect(whyNotCoreModule(padded)).toBe('has more than one memory');
  });
});

test('a broken outline is left to the engine', () => {
  const header = moduleOf('(module)');
  for (const rest of [[1], [1, 0xff, 0xff, 0xff, 0xff, 0xff], [0, 0x80], [5]]) {
    expect(whyNotCoreModule(Uint8Array.from([...header, ...rest]))).toBeUndefined();
  }
});

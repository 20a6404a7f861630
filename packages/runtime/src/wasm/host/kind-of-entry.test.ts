import { expect, test } from 'vitest';
import { moduleOf } from '../testing/module-of.ts';
import { kindOfEntry } from './kind-of-entry.mjs';

const extism = '(import "extism:host/env" "input_length" (func (result i64)))';
const wasi = '(import "wasi_snapshot_preview1" "proc_exit" (func (param i32)))';
const run = '(func (export "run") (result i32) (i32.const 0))';
const start = '(func (export "_start"))';
const greet = '(func (export "greet") (result i32) (i32.const 0))';
const initialize = '(func (export "_initialize"))';

test.each([
  ["Extism's functions and run", `${extism} ${run}`, { kind: 'plugin' }],
  ["Extism's functions, WASI and run", `${extism} ${wasi} ${run} ${initialize}`, { kind: 'plugin' }],
  ["Extism's functions, run and _start", `${extism} ${run} ${start}`, { kind: 'plugin' }],
  ["Extism's functions, to be refused for what it lacks", extism, { kind: 'plugin' }],
  ['run alone', run, { kind: 'plugin' }],
  ['WASI and run', `${wasi} ${run}`, { kind: 'plugin' }],
  ['_start alone', start, { kind: 'command' }],
  ['WASI and _start', `${wasi} ${start}`, { kind: 'command' }],
  ['WASI, _start and run', `${wasi} ${start} ${run}`, { kind: 'command' }],
  [
    'a reactor',
    `${wasi} ${initialize}`,
    { problem: 'is a WASI reactor that does not export run; build it as a command, or export run' },
  ],
  [
    'neither',
    '(func (export "main"))',
    {
      problem:
        'exports neither run, as an Extism plug-in does, nor _start, as a WASI command does; it exports main; name one with run.function in its ambit.yaml',
    },
  ],
  [
    'neither, and nothing else',
    '(memory (export "memory") 1)',
    {
      problem:
        'exports neither run, as an Extism plug-in does, nor _start, as a WASI command does; it exports no callable function',
    },
  ],
])('the kind of %s', (_, fields, kind) => {
  expect(kindOf(fields)).toEqual(kind);
});

test.each([
  ['a function that it exports', greet, { kind: 'plugin' }],
  ["a function that it lacks, beside Extism's", extism, { kind: 'plugin' }],
  [
    'a function that it lacks',
    run,
    {
      problem:
        'exports neither greet, as an Extism plug-in does, nor _start, as a WASI command does; it exports run; name one with run.function in its ambit.yaml',
    },
  ],
  [
    'a function beside _start',
    `${greet} ${start}`,
    { problem: 'is a WASI command, which starts at _start; remove run.function from its ambit.yaml' },
  ],
])('the kind if a sidecar names %s', (_, fields, kind) => {
  expect(kindOf(fields, 'greet')).toEqual(kind);
});

function kindOf(fields: string, called?: string): unknown {
  return kindOfEntry(new WebAssembly.Module(Uint8Array.from(moduleOf(`(module ${fields})`))), called);
}

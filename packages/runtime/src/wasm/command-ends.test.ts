import { readFile } from 'node:fs/promises';
import { SkillError } from '@ambit/core';
import type { RunResult } from '@ambit/core/execute';
import { afterAll, describe, expect, test } from 'vitest';
import { nodePermissionSandbox } from '../process/sandbox/node-permission-sandbox.ts';
import { noState } from '../testing/no-state.ts';
import { grantedSkill } from '../testing/skill-on-disk.ts';
import { wasmHostProgram } from './pool/host-command.ts';
import { commandOf, dataAt, pluginThatOutputs } from './testing/module-of.ts';
import { wasmExecutor } from './wasm-executor.ts';

const MiB = 1024 * 1024;

/** Prints `out` and `err` on stdout and stderr, and then runs `body`. */
function thatPrints(body: string, more = ''): Uint8Array {
  return commandOf(
    `(call $print (i32.const 1) (i32.const 0) (i32.const 3))
     (call $print (i32.const 2) (i32.const 3) (i32.const 3))
     ${body}`,
    `(memory (export "memory") 1) ${dataAt(0, 'outerr')} ${dataAt(100, 'state_get["key"]')} ${more}`,
  );
}

// The contract of commands runs in bubblewrap.
describe('a command', () => {
  const executor = wasmExecutor({
    sandbox: nodePermissionSandbox(wasmHostProgram),
    state: noState,
    hosts: 1,
  });
  afterAll(() => executor.close?.());

  const run = async (content: Uint8Array, more: object = {}, call: object = {}): Promise<RunResult> => {
    const grant = await grantedSkill(
      { runtime: 'wasm', protocol: 'command', entry: 'skill.wasm', ...more },
      { 'skill.wasm': content, 'assets/header.txt': '====\n' },
    );
    const input = { protocol: 'command' as const, args: [], stdin: '', ...call };
    return executor.execute(grant, input, new AbortController().signal);
  };

  const endless = '(loop $again (br $again))';
  const printed = { stdout: 'out', stderr: 'err' };
  test.each<[string, Uint8Array, object, object]>([
    ['it traps', thatPrints('(unreachable)'), {}, { status: 'failed', failure: { trap: 'unreachable' } }],
    ['its fuel is used up', thatPrints(endless), { fuel: 100_000 }, { status: 'out-of-fuel', fuel: 100_000 }],
    [
      'it wants more memory than it may have',
      thatPrints('(drop (memory.grow (i32.const 100))) (unreachable)'),
      { memoryBytes: MiB },
      { status: 'out-of-memory', memoryBytes: MiB },
    ],
    [
      'it asks for what was not granted',
      thatPrints('(drop (call $invoke (i32.const 100) (i32.const 9) (i32.const 109) (i32.const 7)))'),
      {},
      { status: 'capability-violated', capability: 'state', detail: 'state_get needs state: read' },
    ],
  ])('a command returns its output when %s', async (_name, content, limits, outcome) => {
    expect((await run(content, { limits })).outcome).toEqual({ ...outcome, ...printed });
  });

  test.each([
    ['a file of 100 KiB', ['fill', '100'], 'done'],
    ['a longer one', ['fill', '101'], 'File too large'],
    ['names for one file without end', ['names'], '32767 No space left on device'],
  ])('a command that makes %s is held to its limits', async (_name, args, stdout) => {
    const content = await readFile(new URL('testing/fixtures/filler.wasm', import.meta.url));
    const limits = { fileBytes: 100 * 1024, memoryBytes: 16 * MiB };
    expect((await run(content, { limits }, { args })).outcome).toEqual({
      status: 'succeeded',
      output: { exitCode: 0, stdout: `${stdout}\n`, stderr: '' },
    });
  });

  test('a command with protocol json can have a workspace', async () => {
    const content = thatPrints('(call $print (i32.const 1) (i32.const 3) (i32.const 3))');
    const more = { protocol: 'json', output: 'text', capabilities: { filesystem: { write: ['workspace'] } } };
    const execution = await run(content, more, { protocol: 'json', value: {} });
    expect({ outcome: execution.outcome, files: execution.files, log: execution.log }).toEqual({
      outcome: { status: 'succeeded', output: 'outerr' },
      files: [],
      log: 'err',
    });
  });

  test('files that do not fit into the workspace are refused, and fewer files are accepted', async () => {
    const more = { capabilities: { filesystem: { write: ['workspace'] } }, limits: { memoryBytes: MiB } };
    const files = (bytes: number) => ({ files: [{ path: 'large', content: new Uint8Array(bytes) }] });
    const content = thatPrints('');
    await expect(run(content, more, files(MiB))).rejects.toThrow(
      new SkillError(
        'INPUT_INVALID',
        `the files do not fit into the workspace: they need ${MiB + 512} bytes in total, and it has ${MiB}: send fewer, or raise limits.memoryBytes`,
      ),
    );
    expect((await run(content, more, files(MiB - 512))).outcome.status).toBe('succeeded');
  });

  test('a workspace is refused for a plug-in and allowed for a command', async () => {
    const more = { protocol: 'json', capabilities: { filesystem: { write: ['workspace'] } } };
    const input = { protocol: 'json', value: {} };
    await expect(run(pluginThatOutputs('1'), more, input)).rejects.toThrow(
      new SkillError(
        'SKILL_INVALID',
        'subject: entry skill.wasm is an Extism plug-in; protocol command and a workspace are for WASI commands',
      ),
    );
    expect((await run(thatPrints(''), { ...more, output: 'text' }, input)).outcome.status).toBe('succeeded');
  });

  test('a workspace for a script is refused', async () => {
    const grant = await grantedSkill(
      { runtime: 'wasm', entry: 'index.js', capabilities: { filesystem: { write: ['workspace'] } } },
      { 'index.js': 'export default () => 1;' },
    );
    const input = { protocol: 'json' as const, value: {} };
    await expect(executor.execute(grant, input, new AbortController().signal)).rejects.toThrow(
      'subject requests a workspace, which skills with runtime wasm cannot have; remove it from its ambit.yaml',
    );
  });
});

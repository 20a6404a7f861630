// Threat model: T53

import type { FileChange, WorkspaceFile } from '@ambit/core/workspace';
import { describe, expect, test } from 'vitest';
import { grantedSkill } from '../../../testing/skill-on-disk.ts';
import { processExecutor } from '../../process-executor.ts';
import { bubblewrapSandbox } from '../bubblewrap/bubblewrap-sandbox.ts';

const never = new AbortController().signal;
const executor = processExecutor({ sandbox: bubblewrapSandbox(), environment: {} });

const text = (content: string): Uint8Array => new TextEncoder().encode(content);
const file = (path: string, content: string): WorkspaceFile => ({ path, content: text(content) });

/** Runs Python in a workspace with these files and returns its changes. */
async function changes(
  body: string,
  files: WorkspaceFile[] = [],
  limits: object = {},
): Promise<readonly FileChange[] | undefined> {
  const run = {
    runtime: 'process',
    entry: 'scripts/run.py',
    protocol: 'command',
    capabilities: { exec: ['python3'], filesystem: { write: ['workspace'] } },
    limits,
  };
  const grant = await grantedSkill(run, { 'scripts/run.py': `import os, sys, time\n${body}\n` });
  const result = await executor.execute(grant, { protocol: 'command', args: [], stdin: '', files }, never);
  if (result.outcome.status === 'failed') throw new Error(result.outcome.stderr);
  return result.files;
}

describe('the caller’s files', () => {
  test('unchanged files are not reported, even if they were rewritten', async () => {
    expect(await changes('open("same", "w").write("x")', [file('same', 'x'), file('other', 'y')])).toEqual(
      [],
    );
  });

  test('files that do not fit are refused before anything runs', async () => {
    await expect(
      changes('', [{ path: 'big', content: new Uint8Array(65 * 1024 * 1024) }], {
        memoryBytes: 64 * 1024 * 1024,
      }),
    ).rejects.toMatchObject({
      code: 'INPUT_INVALID',
    });
  });
});

describe('files that a run writes', () => {
  test('a file with any bytes is returned unchanged', async () => {
    const body = 'os.makedirs("out/deep")\nopen("out/deep/x.bin", "wb").write(bytes(range(256)))';
    expect(await changes(body)).toEqual([
      {
        path: 'out/deep/x.bin',
        change: 'created',
        bytes: 256,
        content: Uint8Array.from({ length: 256 }, (_, i) => i),
      },
    ]);
  });

  test('a byte order mark in a file name is preserved', async () => {
    expect(await changes('', [file('\uFEFFa', 'one'), file('a', 'two')])).toEqual([]);
    expect(await changes('open("\\ufeffb", "w").close()')).toEqual([
      { path: '\uFEFFb', change: 'created', bytes: 0, content: new Uint8Array() },
    ]);
  });

  test('the number, total path length and depth of returned files are limited', async () => {
    const many = await changes('for i in range(12000): open(str(i), "w").close()');
    expect(many?.length).toBe(10_001);
    expect(many?.filter(({ omitted }) => omitted !== undefined)).toEqual([
      {
        path: expect.any(String),
        change: 'created',
        bytes: 0,
        content: null,
        omitted: 'more than 10000 entries; this one and the following are left out',
      },
    ]);
    const long = await changes(
      'd = "/".join(["d" * 250] * 8)\nos.makedirs(d)\nfor i in range(2000): open(f"{d}/{i}", "w").close()',
    );
    expect(long?.filter(({ omitted }) => omitted !== undefined)).toEqual([
      {
        path: expect.any(String),
        change: 'created',
        bytes: 0,
        content: null,
        omitted: 'more than 2097152 bytes of paths; this entry and the following are left out',
      },
    ]);
    const deep = await changes(
      'for i in range(40):\n  os.mkdir("d")\n  os.chdir("d")\nopen("x", "w").close()',
    );
    expect(deep).toEqual([
      {
        path: Array(32).fill('d').join('/'),
        change: 'created',
        bytes: 0,
        content: null,
        omitted: 'nested more than 32 deep',
      },
    ]);
  });

  test('a file without read permission is reported as omitted, or read by root', async () => {
    const [found] = (await changes('open("closed", "w").write("x")\nos.chmod("closed", 0)')) ?? [];
    expect(found).toMatchObject(
      process.getuid?.() === 0 ? { content: text('x') } : { content: null, omitted: 'it could not be read' },
    );
  });

  test('a folder without read permission is reported as omitted, or read by root', async () => {
    const body = 'os.mkdir("closed")\nopen("closed/in", "w").close()\nos.chmod("closed", 0)';
    expect(await changes(body)).toEqual([
      process.getuid?.() === 0
        ? { path: 'closed/in', change: 'created', bytes: 0, content: new Uint8Array() }
        : {
            path: 'closed',
            change: 'created',
            bytes: 0,
            content: null,
            omitted: 'a folder that could not be read',
          },
    ]);
  });
});

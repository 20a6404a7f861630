// Threat model: T262

import { readdirSync, readFileSync } from 'node:fs';
import { expect, test } from 'vitest';
import { until } from '../spawn/until.ts';
import { grantedSkill } from '../testing/skill-on-disk.ts';
import { processExecutor } from './process-executor.ts';
import { bubblewrapSandbox } from './sandbox/bubblewrap/bubblewrap-sandbox.ts';

const never = new AbortController().signal;
const executor = processExecutor({ sandbox: bubblewrapSandbox(), environment: {} });
const run = {
  runtime: 'process',
  entry: 'scripts/run.sh',
  protocol: 'command',
  capabilities: { exec: ['sh', 'ls'] },
};

test.each(['resolves', 'rejects'] as const)(
  'a program whose sandbox is ready runs only once its record is durable: the promise %s',
  async (how) => {
    const grant = await grantedSkill(run, { 'scripts/run.sh': '#!/bin/sh\necho ran; ls\n' });
    const record = Promise.withResolvers<void>();
    record.promise.catch(() => undefined);
    const ran: string[] = [];
    const running = executor.execute(
      grant,
      { protocol: 'command', args: [], stdin: '', recorded: record.promise },
      never,
      (event) => ran.push(event.kind),
    );
    running.catch(() => undefined);
    // bubblewrap's first process inside exists, and waits.
    await until(() => sandboxes().length === 2);
    expect(ran).toEqual([]);
    if (how === 'resolves') {
      record.resolve();
      expect((await running).outcome).toMatchObject({ status: 'succeeded', output: { stdout: 'ran\n' } });
      expect(ran).not.toEqual([]);
    } else {
      record.reject(new Error('the disk is full'));
      await expect(running).rejects.toThrow('the disk is full');
      expect(ran).toEqual([]);
    }
    expect(sandboxes()).toEqual([]);
  },
);

/** The ids of bubblewrap processes among the children and grandchildren of this process. */
function sandboxes(): string[] {
  const found = new Map<string, string>();
  for (const pid of readdirSync('/proc').filter((entry) => /^\d+$/.test(entry)))
    try {
      const [, name = '', parent = ''] =
        /\((.*)\) \S (\d+)/.exec(readFileSync(`/proc/${pid}/stat`, 'utf8')) ?? [];
      if (name === 'bwrap') found.set(pid, parent);
    } catch {
      // It has ended.
    }
  return [...found.keys()].filter((pid) => {
    const parent = found.get(pid) ?? '';
    return [parent, found.get(parent)].includes(String(process.pid));
  });
}

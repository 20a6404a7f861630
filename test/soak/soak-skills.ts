import type { Grant, Outcome } from '../../packages/core/src/execute.ts';
import { grantedSkill } from '../contract/support/granted-skill.ts';

/** A kind of call, and its permitted outcomes. */
export interface Kind {
  name: string;
  /** Its share of the calls, in percent. */
  share: number;
  grant: Grant;
  /** Cancel it within this time; absent: never. */
  cancelWithinMs?: number;
  ends: readonly Outcome['status'][];
}

/** The minimum number of processes of the largest call at a time. */
export const crowdSize = 8;

/** Calls that succeed and fail; `marker` is in the name of every script. */
export async function soakKinds(folder: string, marker: string): Promise<Kind[]> {
  const shell = (script: string, limits: object = {}, exec: readonly string[] = []): Promise<Grant> => {
    const entry = `scripts/${marker}.sh`;
    const run = {
      runtime: 'process',
      entry,
      capabilities: { exec: ['sh', 'cat', 'sleep', ...exec] },
      limits,
    };
    return grantedSkill(folder, run, { [entry]: `#!/bin/sh\n${script}\n` });
  };
  const python = async (script: string): Promise<Grant> => {
    const entry = `scripts/${marker}.py`;
    const run = { runtime: 'process', entry, capabilities: { exec: ['python3'] } };
    return grantedSkill(folder, run, { [entry]: script });
  };
  const echo = await shell('exec cat');
  const sleep = await shell('exec sleep 1000');
  return [
    { name: 'echoes', share: 48, grant: echo, ends: ['succeeded'] },
    {
      name: 'echoes in Python',
      share: 6,
      grant: await python('import sys\nsys.stdout.write(sys.stdin.read())\n'),
      ends: ['succeeded'],
    },
    {
      name: 'is canceled while it starts, runs or ends',
      share: 12,
      grant: echo,
      cancelWithinMs: 60,
      ends: ['succeeded', 'canceled'],
    },
    { name: 'is canceled while it sleeps', share: 8, grant: sleep, cancelWithinMs: 60, ends: ['canceled'] },
    ...(await Promise.all(
      [1, 5, 15, 40].map(async (timeoutMs) => ({
        name: `sleeps past ${timeoutMs} ms`,
        share: 2,
        grant: await shell('exec sleep 1000', { timeoutMs }),
        ends: ['timed-out' as const],
      })),
    )),
    {
      name: 'writes without end',
      share: 5,
      grant: await shell('while :; do echo xxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxx; done', { outputBytes: 4096 }),
      ends: ['output-too-large'],
    },
    {
      name: 'leaves a child behind',
      share: 5,
      grant: await shell('sleep 1000 </dev/null >/dev/null 2>&1 &\nexec cat'),
      ends: ['succeeded'],
    },
    {
      name: 'leaves a daemon behind, in a session of its own',
      share: 5,
      grant: await shell('(setsid sleep 1000 </dev/null >/dev/null 2>&1 &)\nexec cat', {}, ['setsid']),
      ends: ['succeeded'],
    },
    {
      name: 'leaves a crowd behind and is canceled',
      share: 3,
      grant: await shell(`${'sleep 1000 &\n'.repeat(crowdSize)}wait`),
      cancelWithinMs: 40,
      ends: ['canceled'],
    },
  ];
}

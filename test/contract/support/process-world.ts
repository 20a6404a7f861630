import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { bubblewrapSandbox, processExecutor } from '../../../packages/runtime/src/index.ts';
import type { Behaviour, ExecutorWorld } from './behaviour.ts';
import { grantedSkill } from './granted-skill.ts';

/** The process executor in bubblewrap, with Python scripts as skills. */
export async function processWorld(): Promise<ExecutorWorld> {
  const folder = await mkdtemp(join(tmpdir(), 'ambit-contract-'));
  const sandbox = bubblewrapSandbox();
  return {
    executor: processExecutor({ sandbox, environment: {} }),
    async skill(behaviour, limits = {}, payload = {}) {
      const run = {
        runtime: 'process',
        entry: 'scripts/run.py',
        capabilities: { exec: ['python3'] },
        limits,
        ...payload,
      };
      const grant = await grantedSkill(folder, run, { 'scripts/run.py': scriptThat(behaviour) });
      if (behaviour === 'cannot start') await rm(join(grant.skill.root, 'scripts/run.py'));
      return grant;
    },
    async close() {
      await sandbox.close?.();
      await rm(folder, { recursive: true, force: true });
    },
  };
}

function scriptThat(behaviour: Behaviour): string {
  return `import os, sys, time\nout, log = sys.stdout.buffer.write, sys.stderr.write\n${bodyThat(behaviour)}\n`;
}

function bodyThat(behaviour: Behaviour): string {
  if (typeof behaviour === 'object') {
    if ('answersBytes' in behaviour) return `out(b'"' + b'x' * ${behaviour.answersBytes - 2} + b'"')`;
    if ('fails' in behaviour) return `log(${JSON.stringify(behaviour.fails)})\nsys.exit(1)`;
    if ('logsAndStays' in behaviour)
      return `log(${JSON.stringify(`${behaviour.logsAndStays}\n`)})\nsys.stderr.flush()\ntime.sleep(1000000)`;
    return `log(${JSON.stringify(behaviour.logs)})\nout(b'1')`;
  }
  switch (behaviour) {
    case 'echoes':
      return 'out(sys.stdin.buffer.read())';
    case 'never ends':
      return 'time.sleep(1000000)';
    case 'crashes':
      return 'os.kill(os.getpid(), 11)';
    case 'leaves a mark':
      return 'out(b"true" if os.path.exists("/tmp/mark") else b"false")\nopen("/tmp/mark", "w").close()';
    case 'answers nothing':
    case 'cannot start':
      return 'pass';
    case 'answers no JSON':
      return 'out(b"hello")';
    case 'answers no UTF-8':
      return 'out(bytes([0xff]))';
    default:
      return behaviour satisfies never;
  }
}

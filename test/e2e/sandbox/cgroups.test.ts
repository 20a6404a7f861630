import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { mkdir, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { text } from 'node:stream/consumers';
import { expect, test } from 'vitest';
import { cgroupLimits } from '../../../packages/runtime/src/index.ts';
import { startDaemon } from '../../support/daemon.ts';
import { repository } from '../../support/daemon-process.ts';
import { temporaryFolder } from '../../support/temporary-folder.ts';

const cgroup = cgroupLimits();
cgroup?.close();

// Under version 2 a process cannot leave its cgroup; the next start removes it.
test.runIf(cgroup?.name === 'cgroup v1').each([
  ['its key cannot be used', 'key', 'x', 'KEY_UNUSABLE'],
  ['its log cannot be used', 'audit.db', 'x'.repeat(5000), 'AUDIT_UNAVAILABLE'],
  ['its certificate is missing', 'audit-key.pub', '', 'CONFIG_INVALID'],
])(
  'a start that fails because %s leaves no cgroup; a successful start has its own (needs writable cgroups v1)',
  async (_, name, content, code) => {
    const folder = await temporaryFolder();
    await mkdir(join(folder, 'data'), { mode: 0o700 });
    await writeFile(join(folder, 'data', name), content, { mode: 0o600 });
    const tls = code === 'CONFIG_INVALID' ? { tls: { cert: '/nowhere', key: '/nowhere' } } : {};
    const config = { dataDir: join(folder, 'data'), listen: { port: 0, ...tls } };
    await writeFile(join(folder, 'ambit.config.yaml'), JSON.stringify(config));
    const refused = await ended(['serve', '--config', join(folder, 'ambit.config.yaml')]);
    expect({ cgroups: refused.cgroups, stderr: refused.stderr.match(/^ambit: [A-Z_]+/)?.[0] }).toEqual({
      stderr: `ambit: ${code}`,
      cgroups: [],
    });
    const daemon = await startDaemon();
    expect(cgroupsOf(daemon.pid).length).toBeGreaterThan(0);
  },
);

/** Runs a command to its end and returns the cgroups that it left. */
async function ended(
  args: readonly string[],
): Promise<{ stdout: string; stderr: string; cgroups: string[] }> {
  const main = join(repository, 'packages/cli/src/ambit.mjs');
  const child = spawn(process.execPath, [main, ...args], { stdio: ['ignore', 'pipe', 'pipe'] });
  const [stdout, stderr] = await Promise.all([text(child.stdout), text(child.stderr), once(child, 'exit')]);
  return { stdout, stderr, cgroups: cgroupsOf(child.pid) };
}

/** The cgroups that a process created in the hierarchies of this process. */
function cgroupsOf(pid: number | undefined): string[] {
  const own = readFileSync('/proc/self/cgroup', 'utf8').trim().split('\n');
  return own
    .map((line) => line.split(':'))
    .map(([, controllers = '', path = '']) => join('/sys/fs/cgroup', controllers, path))
    .filter((folder) => existsSync(folder))
    .flatMap((folder) => readdirSync(folder).map((name) => join(folder, name)))
    .filter((path) => new RegExp(`/ambit-\\d+-${pid}-[0-9a-f]+$`).test(path));
}

import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { existsSync, realpathSync } from 'node:fs';

/**
 * The baseline: `bwrap` started by Node with the arguments of our sandbox for a shell skill,
 * without our code. The arguments are written out here, so a slower sandbox cannot slow down its
 * own baseline.
 */
export async function bareBubblewrap(skill: string): Promise<(input: string) => Promise<void>> {
  const libraries = [
    `/usr/lib/${{ x64: 'x86_64', arm64: 'aarch64' }[process.arch as 'x64' | 'arm64']}-linux-gnu`,
    '/usr/lib64',
  ];
  const places = [...libraries, '/etc/ld.so.cache', '/usr/share/zoneinfo'].filter(existsSync);
  const shell = realpathSync('/bin/sh');
  const args = [
    ...['user', 'ipc', 'pid', 'net', 'uts', 'cgroup'].map((namespace) => `--unshare-${namespace}`),
    ...['--disable-userns', '--uid', '1000', '--gid', '1000', '--hostname', 'ambit'],
    ...['--die-with-parent', '--new-session', '--clearenv', '--setenv', 'PATH', '/usr/bin'],
    ...places.flatMap((path) => ['--ro-bind', path, path]),
    ...['--symlink', 'usr/lib', '/lib', '--symlink', 'usr/lib64', '/lib64'],
    ...['--proc', '/proc', '--dev', '/dev', '--size', '67108864', '--tmpfs', '/tmp'],
    ...['--ro-bind', shell, '/usr/bin/sh', '--ro-bind', '/bin/cat', '/usr/bin/cat'],
    ...['--ro-bind', skill, '/skill', '--remount-ro', '/', '--chdir', '/tmp'],
    ...['--', '/usr/bin/sh', '/skill/scripts/run.sh'],
  ];
  return async (input) => {
    const child = spawn('bwrap', args, {
      stdio: ['pipe', 'pipe', 'inherit'],
      env: { PATH: '/usr/bin:/bin' },
    });
    let output = '';
    child.stdout.on('data', (chunk: Buffer) => {
      output += chunk.toString();
    });
    child.stdin.end(input);
    await once(child, 'close');
    if (output !== input) throw new Error(`bwrap returned ${JSON.stringify(output)}`);
  };
}

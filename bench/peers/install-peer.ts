import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdir, writeFile } from 'node:fs/promises';
import { join } from 'node:path';

/** Their programs are in packages for each platform, so no install script needs to download one. */
const packages = { deno: '2.9.6', workerd: '1.20261117.1', 'just-bash': '3.4.2' } as const;

export type PeerPackage = keyof typeof packages;

/**
 * Installs a package into a folder of its own, without its scripts. Resolves to its `node_modules`, or to
 * why that failed.
 */
export async function installPeer(
  folder: string,
  name: PeerPackage,
): Promise<{ modules: string } | { missing: string }> {
  const place = join(folder, name);
  await mkdir(place);
  await writeFile(join(place, 'package.json'), '{"private":true}');
  const options = ['--ignore-scripts', '--no-audit', '--no-fund', '--loglevel=error'];
  const child = spawn('npm', ['install', ...options, `${name}@${packages[name]}`], {
    cwd: place,
    stdio: ['ignore', 'ignore', 'pipe'],
  });
  let said = '';
  child.stderr.on('data', (chunk: Buffer) => {
    said += chunk.toString();
  });
  const ended = once(child, 'close').catch((error: unknown) => [String(error)]);
  const [code] = await ended;
  return code === 0 ? { modules: join(place, 'node_modules') } : { missing: `${code} ${said}`.trim() };
}

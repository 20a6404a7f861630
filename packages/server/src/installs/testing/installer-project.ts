import { mkdir, readFile } from 'node:fs/promises';
import { join } from 'node:path';
import type { InstallChanges } from '@ambit/api';
import type { AuditEvent } from '@ambit/core/audit';
import { onTestFinished } from 'vitest';
import { parse } from 'yaml';
import { temporaryFolder, writeFiles } from '../../../../../test/support/temporary-folder.ts';
import type { Config } from '../../config/config.ts';
import { readInstalled } from '../../config/read-installed.ts';
import { openSqliteStore } from '../../store/sqlite/sqlite-store.ts';
import { plainConfig } from '../../testing/plain-config.ts';
import { readDecisions } from '../decisions.ts';
import { installedRoots } from '../installed-roots.ts';
import { installer } from '../installer.ts';
import type { Requester } from '../installs.ts';

export const script = 'print("on")\n';

export function skillMd(name: string, description = 'd'): string {
  return `---\nname: ${name}\ndescription: ${description}\n---\n`;
}

export function sidecar(capabilities: object, version = '1.0.0'): string {
  const run = { runtime: 'process', entry: 'scripts/run.py', protocol: 'command', capabilities };
  return JSON.stringify({ version, run });
}

export const plain = { exec: ['python3'], filesystem: { write: ['workspace'] } };

const docx = { 'docx/SKILL.md': skillMd('docx'), 'docx/scripts/run.py': script };

/** A project with a source `acme` of these skills, over a real store and an array for a log. */
export async function project(
  settings: Partial<Config['installs']> = {},
  skills: Readonly<Record<string, string>> = docx,
) {
  const folder = await temporaryFolder();
  const dataDir = join(folder, '.ambit');
  await mkdir(dataDir);
  const config: Config = {
    ...plainConfig,
    dataDir,
    lockFile: join(folder, 'ambit.lock'),
    installs: { ...plainConfig.installs, ...settings },
  };
  const store = openSqliteStore(join(dataDir, 'store.db'));
  onTestFinished(() => store.close());
  const events: AuditEvent[] = [];
  let time = Date.now();
  let failsAt: string | undefined;
  const fail = (step: string): void => {
    if (failsAt === step) throw new Error(`failed at ${step}`);
  };
  const installs = installer({
    config: () => config,
    store: {
      async run(name, ...given) {
        fail(name);
        return store.run(name, ...given);
      },
    },
    async append(event) {
      fail(event.kind);
      events.push(event);
      return { sequence: events.length, hash: 'sha256:h' };
    },
    apply: async () => fail('apply'),
    now: () => time,
  });
  const requester: Requester = { actor: 'ada', signal: new AbortController().signal };
  const source = join(folder, 'acme');
  const write = (files: Readonly<Record<string, string>>): Promise<void> => writeFiles(source, files);
  await write(skills);
  return {
    folder,
    config,
    store,
    installs,
    requester,
    source,
    write,
    events,
    add: (namespace?: string) => installs.add({ source, namespace, allowsPaths: true }, requester),
    approve: (id = 'docx') => installs.approve({ id, tier: 'verified' }, requester),
    update: () => installs.update([], requester),
    /** Fails the next step of this name, of the store, the log or `apply`. */
    failAt(step: string | undefined) {
      failsAt = step;
    },
    configure: (changed: Partial<Config>) => Object.assign(config, changed),
    wait(hours: number) {
      time += hours * 3_600_000;
    },
    lock: async () => parse(await readFile(config.lockFile, 'utf8')),
    /** Returns the state of each skill in the catalog of a daemon, by id: its tier and digest, or the code of its refusal. */
    async inForce() {
      const { installed } = await readInstalled(config);
      const roots = installedRoots({ ...config, installed }, await readDecisions(store, time));
      return Object.fromEntries(
        roots.map(({ namespace, tier, installed: known }) => [
          `${namespace}:${known?.name}`,
          known?.refused?.code ?? `${tier} ${known?.digest}`,
        ]),
      );
    },
  };
}

/** A project whose skill is approved in its first version, and whose second one waits. */
export async function waitingProject(settings: Partial<Config['installs']> = {}) {
  const base = await project(settings);
  const first = onlyDigest(await base.add());
  await base.approve();
  await base.write({ 'docx/SKILL.md': skillMd('docx', 'second') });
  const second = onlyDigest(await base.update());
  return { ...base, first, second };
}

/** The digest of the only skill that was changed. */
export function onlyDigest({ skills }: Pick<InstallChanges, 'skills'>): string {
  const [only] = skills;
  if (only?.digest == null || skills.length > 1) throw new Error('not one skill');
  return only.digest;
}

export async function refusal(change: Promise<unknown>): Promise<string> {
  const error = (await change.then(
    () => undefined,
    (thrown: unknown) => thrown,
  )) as { code?: string; message?: string } | undefined;
  return error?.code ?? error?.message ?? 'none';
}

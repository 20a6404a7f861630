import { mkdir, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import type { AuditEvent } from '@ambit/core/audit';
import { onTestFinished } from 'vitest';
import { temporaryFolder } from '../../../../../../test/support/temporary-folder.ts';
import { signingActions } from '../../../actions/signing-actions.ts';
import type { Config } from '../../../config/config.ts';
import type { Publisher } from '../../../config/file/publisher-keys.ts';
import { readInstalled } from '../../../config/read-installed.ts';
import { openSqliteStore } from '../../../store/sqlite/sqlite-store.ts';
import { plainConfig } from '../../../testing/run-ambit.ts';
import { readDecisions } from '../../decisions.ts';
import { installedRoots } from '../../installed-roots.ts';
import { installer } from '../../installer.ts';
import type { Asker } from '../../installs.ts';

/** A folder `acme` with a skill, keys of two publishers, and installed skills over a real store. */
export async function signedWorld(settings: Partial<Config['installs']> = {}) {
  const folder = await temporaryFolder();
  const dataDir = join(folder, '.ambit');
  await mkdir(dataDir);
  const [source, own, other] = ['acme', 'own.key', 'other.key'].map((name) => join(folder, name)) as [
    string,
    string,
    string,
  ];
  const acme: Publisher = { name: 'acme', match: [source], ed25519: [`${own}.pub`] };
  let config: Config = {
    ...plainConfig,
    ...{ dataDir, lockFile: join(folder, 'ambit.lock'), publishers: [acme] },
    installs: { ...plainConfig.installs, ...settings },
  };
  const store = openSqliteStore(join(dataDir, 'store.db'));
  onTestFinished(() => store.close());
  const events: AuditEvent[] = [];
  let time = Date.now();
  const installs = installer({
    ...{ config: () => config, store, apply: async () => undefined, now: () => time },
    async append(event) {
      events.push(event);
      return { sequence: events.length, hash: 'sha256:h' };
    },
  });
  const asker: Asker = { actor: 'ada', signal: new AbortController().signal };
  const forms = join(source, 'forms');
  const write = async (description: string, version = '1.0.0'): Promise<void> => {
    await mkdir(join(forms, 'scripts'), { recursive: true });
    await writeFile(join(forms, 'SKILL.md'), `---\nname: forms\ndescription: ${description}\n---\n`);
    await writeFile(join(forms, 'ambit.yaml'), `version: ${version}\n`);
    await writeFile(join(forms, 'scripts/run.py'), 'print("on")\n');
  };
  await write('first');
  for (const key of [own, other]) await signingActions.newKey(key);
  return {
    ...{ folder, source, forms, own, other, acme, asker, installs, events, write },
    signatureFile: join(forms, '.ambit-signature.json'),
    lockFile: config.lockFile,
    config: () => config,
    configure: (changed: Partial<Config>) => {
      config = { ...config, ...changed };
    },
    wait: (hours: number) => {
      time += hours * 3_600_000;
    },
    sign: (key = own) => signingActions.sign(forms, key),
    add: () => installs.add({ source, allowsPaths: true }, asker),
    update: async () => (await installs.update([], asker)).skills[0],
    approve: (tier?: 'local' | 'verified') => installs.approve({ id: 'forms', tier }, asker),
    async inForce() {
      const { installed } = await readInstalled(config);
      const [root] = installedRoots({ ...config, installed }, await readDecisions(store));
      return root?.installed?.refused?.code ?? root?.tier;
    },
  };
}

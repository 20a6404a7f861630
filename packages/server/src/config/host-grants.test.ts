// Threat model: T363

import { chmod, chown, mkdir, rename, symlink, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { temporaryFolder } from '../../../../test/support/temporary-folder.ts';
import { issuesOf, named } from '../testing/config-sources.ts';
import { loadConfig } from '../testing/load-config.ts';
import { sectionsIn } from './cluster-policy.ts';

/** The issues of a file with these grants, for the user id of a daemon; empty if it is accepted. */
async function issues(
  grants: string,
  uid?: number,
  change?: (cwd: string) => Promise<void>,
): Promise<string[]> {
  const cwd = await temporaryFolder({
    'ambit.config.yaml': `skills: [{ path: own, tier: local }, { path: theirs, tier: verified }, { path: acme, tier: untrusted, namespace: acme }]
grants: ${grants}`,
  });
  for (const skill of ['own/mine', 'own/both', 'theirs/both', 'theirs/deploy', 'acme/deploy']) {
    await mkdir(join(cwd, skill), { recursive: true });
    await writeFile(join(cwd, skill, 'SKILL.md'), '');
  }
  await change?.(cwd);
  const sources = { ...named(cwd), uid };
  const prefix = `${join(cwd, 'ambit.config.yaml')}: `;
  const accepted = await loadConfig(sources).then(
    () => true,
    () => false,
  );
  return accepted ? [] : (await issuesOf(sources)).map((issue) => issue.replace(prefix, ''));
}

test('host is accepted for skills of tier local, and for skills that are not found yet', async () => {
  expect(
    await issues('{ mine: { host: true }, both: { host: true }, elsewhere: { host: true } }', 1000),
  ).toEqual([]);
});

test('host is refused for a skill whose folder has another tier', async () => {
  const tier = (id: string, is: string) =>
    `grants.${id}.host: only for skills of tier local, and the tier of ${id} is ${is}; grant what it needs: filesystem, network, env, exec`;
  expect(
    await issues('{ deploy: { host: true }, "acme:deploy": { host: true }, both: { env: [TZ] } }'),
  ).toEqual([tier('deploy', 'verified'), tier('acme:deploy', 'untrusted')]);
});

test('host is refused without a user if Ambit runs as root, and with a user that is root or does not exist', async () => {
  const name = 'name the user whose rights it gets';
  expect(await issues('{ mine: { host: true } }', 0)).toEqual([
    `grants.mine.host: Ambit runs as root, and no skill does; ${name}: { host: true, user: NAME }`,
  ]);
  expect(await issues('{ mine: { host: true, user: root } }', 0)).toEqual([
    `grants.mine.user: "root" is root, and no skill runs as root; ${name}`,
  ]);
  expect(await issues('{ mine: { host: true, user: no-such-user } }', 0)).toEqual([
    `grants.mine.user: this machine has no user "no-such-user" in /etc/passwd; ${name}`,
  ]);
  expect(await issues('{ mine: { host: true, user: nobody } }', 0)).toEqual([]);
});

test.runIf(process.getuid?.() === 0)(
  'host is refused if its user can replace the configuration of root, and accepted if only root can (needs root)',
  async () => {
    // `daemon` of /etc/passwd.
    const uid = 1;
    const told = async (change: (cwd: string) => Promise<void>) =>
      (await issues('{ mine: { host: true, user: daemon } }', 0, change)).map((issue) =>
        issue.replace(/can change \S*?\/(ambit-test-\w+)/, 'can change FOLDER'),
      );
    const refused = (place: string) => [
      `grants.mine.user: daemon can change FOLDER${place}, and what a skill leaves behind could replace the configuration or the data directory of root there; move both to folders that only root can write, such as /etc/ambit and /var/lib/ambit`,
    ];
    expect(await told((cwd) => chown(cwd, uid, 0))).toEqual(refused(''));
    expect(await told((cwd) => chmod(cwd, 0o777))).toEqual(refused(''));
    expect(await told((cwd) => chown(join(cwd, 'ambit.config.yaml'), uid, 0))).toEqual(
      refused('/ambit.config.yaml'),
    );
    const linked = async (cwd: string) => {
      const elsewhere = await temporaryFolder();
      await rename(join(cwd, 'ambit.config.yaml'), join(elsewhere, 'ambit.config.yaml'));
      await symlink(join(elsewhere, 'ambit.config.yaml'), join(cwd, 'ambit.config.yaml'));
      await chown(elsewhere, uid, 0);
    };
    expect(await told(linked)).toEqual(refused(''));
    expect(await told((cwd) => chmod(cwd, 0o755))).toEqual([]);
  },
);

test('host is refused beside secrets', async () => {
  expect(await issues('{ mine: { host: true, secrets: [{ name: T, hosts: [a.example] }] } }')).toEqual([
    'grants.mine.host: cannot be combined with secrets, which only the proxy adds; remove one of the two',
  ]);
});

test('the policy of a cluster cannot grant host', () => {
  const policy = (grant: object) => ({
    grants: { a: grant },
    deny: {},
    limits: {},
    tiers: {},
    mcp: { untrustedTools: false },
  });
  expect(() => sectionsIn(policy({ host: true }))).toThrow(
    'grants.a.host: a cluster cannot grant host: write it into the configuration of the machine',
  );
  expect(sectionsIn(policy({ env: ['TZ'] }))).toMatchObject({ grants: { a: { env: ['TZ'] } } });
});

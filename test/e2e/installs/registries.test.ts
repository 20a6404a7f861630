// Threat model: T140, T141

import { rm, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { afterAll, describe, expect, test } from 'vitest';
import { walkLog } from '../../../packages/server/src/audit/testing/walk-log.ts';
import { sharedDaemon } from '../../support/daemon.ts';
import { ambit } from '../../support/daemon-process.ts';
import { registryProgram, registryPublisher } from '../../support/docker-registry.ts';
import { mcpPublisher } from '../../support/mcp-publisher.ts';
import { type Publisher, skillSite } from '../../support/skill-site.ts';
import { temporaryFolder } from '../../support/temporary-folder.ts';
import { installsOf } from '../support/installs.ts';

const wider = JSON.stringify({
  run: {
    ...{ runtime: 'process', entry: 'scripts/run.sh', protocol: 'command' },
    capabilities: { exec: ['sh'], filesystem: { write: ['workspace'] }, network: ['a.example'] },
  },
});

/** The files of a version, which prints its name. */
function version(name: string, more: Readonly<Record<string, string>> = {}): Record<string, string> {
  return {
    'SKILL.md': `---\nname: forms\ndescription: ${name}\n---\n`,
    'scripts/run.sh': `#!/bin/sh\necho '${name}'\n`,
    ...more,
  };
}

const publishers: Record<
  string,
  { start(): Promise<Publisher>; keepsVersions: boolean; isMissing?: boolean }
> = {
  'a site with an index of skills': { start: skillSite, keepsVersions: false },
  'an MCP server': { start: mcpPublisher, keepsVersions: false },
  'an OCI registry': {
    ...{ start: registryPublisher, keepsVersions: true },
    // `npm test` fetches it, or reports that it is missing.
    isMissing: registryProgram === undefined,
  },
};

const started = new Map<string, Publisher>();
const site = await skillSite();
for (const [name, { start, isMissing }] of Object.entries(publishers))
  if (isMissing !== true) started.set(name, await start());
const network = [site, ...started.values()].map(({ origin }) => origin);
const shared = sharedDaemon(async () => ({ installs: { network } }));
const { post: asked, review, approve, printed: printedBy } = installsOf(shared);
const steps = () =>
  walkLog(join(shared().dataDir, 'audit.db')).events.filter(({ event }) =>
    /^skill\.(?:installed|approved|revoked|restored|removed)$/.test(event.kind),
  );

afterAll(async () => {
  for (const publisher of [site, ...started.values()]) await publisher.close();
});

describe.each(Object.keys(publishers))('%s', (name) => {
  test.skipIf(publishers[name]?.isMissing)(
    'has a skill that is added, reviewed, approved, run, updated, revoked and fetched again, with a receipt of each step',
    async () => {
      const { source, origin, publish } = started.get(name) as Publisher;
      const post = async (path: string, body: object) => {
        const answer = await asked(path, body);
        return answer.code ?? answer.skills ?? answer;
      };
      const changes = async (path: string) =>
        (await post(path, { skills: ['forms'] })).map((each: { change: string }) => each.change);
      const printed = () => printedBy('its:forms');
      const damage = async () => {
        const { digest } = await review('its:forms');
        await rm(join(shared().dataDir, 'installs/its', digest.replace('sha256:', '')), { recursive: true });
        return post('/sync', { frozen: true });
      };
      // The tests share the daemon.
      const before = steps().length;

      await publish(version('first'));
      const config = join(await temporaryFolder(), 'review.yaml');
      await writeFile(config, JSON.stringify({ installs: { network: [origin] }, bundledSkills: false }));
      const reviewed = await ambit(['--json', 'skills', 'review', source, '--config', config]);
      expect(JSON.parse(reviewed.stdout)).toMatchObject({
        ...{ id: 'forms', description: 'first', source: { resolved: { sha256: expect.any(String) } } },
      });
      const added = await asked('', { source, namespace: 'its' });
      expect(added).toMatchObject({ skills: [{ id: 'its:forms', change: 'added' }], refused: [] });
      expect(await printed()).toBe('CAPABILITY_DENIED');
      const first = await review('its:forms');
      expect(first).toMatchObject({ reading: { description: 'first' }, approved: null });
      expect(await approve('its:forms', first)).toMatchObject({ digest: first.digest });
      expect(await printed()).toBe('first\n');
      expect(await changes('/outdated')).toEqual(['unchanged']);

      expect(await damage()).toBe('LOCK_MISMATCH');
      expect(await printed()).toBe('LOCK_MISMATCH');
      expect(await post('/sync', {})).toMatchObject([{ id: 'its:forms', change: 'fetched' }]);
      expect(await printed()).toBe('first\n');

      await publish(version('second', { 'ambit.yaml': wider }));
      expect(await changes('/outdated')).toEqual(['waiting']);
      expect(await changes('/update')).toEqual(['waiting']);
      expect(await printed()).toBe('first\n');
      const second = await review('its:forms');
      expect(second).toMatchObject({
        approved: first.digest,
        wider: [
          'network a.example',
          'scripts/run.sh: ambit.yaml now limits it',
          'scripts/run.sh: network a.example',
        ],
      });
      await approve('its:forms', second);
      // What it asks for beyond the sandbox still needs a grant.
      expect(await printed()).toBe('CAPABILITY_DENIED');
      await post('/revoke', { subject: 'its:forms', reason: 'it lies' });
      expect(await printed()).toBe('SKILL_REVOKED');
      await post('/restore', { subject: 'its:forms' });

      // The source moves on.
      await publish(version('third'));
      expect(await damage()).toBe('LOCK_MISMATCH');
      const fetched = [{ id: 'its:forms', change: 'fetched' }];
      const now = await post('/sync', {});
      if (publishers[name]?.keepsVersions) expect(now).toMatchObject(fetched);
      else expect(now).toBe('LOCK_MISMATCH');
      expect(await changes('/remove')).toEqual(['removed']);

      const own = steps().slice(before);
      expect(own.map(({ event }) => event.kind)).toEqual([
        ...['skill.installed', 'skill.approved', 'skill.installed', 'skill.approved'],
        ...['skill.revoked', 'skill.restored', 'skill.removed'],
      ]);
      for (const { sequence, event } of own)
        expect((await shared().request('GET', `/audit/events/${sequence}/receipt`)).body).toMatchObject({
          statement: { sequence, event },
        });
    },
  );
});

test('a file with another digest than its index says is left out, and nothing of it is installed', async () => {
  const { dataDir } = shared();
  const add = () =>
    ambit(['--json', '--data-dir', dataDir, 'skills', 'add', site.source, '--namespace', 'site']);
  const ids = async () =>
    (await shared().request('GET', '/installs')).body.skills.map((each: { id: string }) => each.id);
  await site.publish(version('first'));
  site.damage();
  const { code, stdout } = await add();
  expect({ code, ...JSON.parse(stdout) }).toEqual({
    ...{ code: 3, skills: [] },
    refused: [
      { folder: 'forms', code: 'SOURCE_DAMAGED', message: expect.stringContaining('instead of sha256:') },
    ],
  });
  expect(await ids()).toEqual([]);
  await site.publish(version('first'));
  expect((await add()).code).toBe(0);
  expect(await ids()).toEqual(['site:forms']);
});

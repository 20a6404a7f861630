// Threat model: T140, T141

import { rm, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { afterAll, describe, expect, test } from 'vitest';
import { sharedDaemon } from '../../support/daemon.ts';
import { ambit } from '../../support/daemon-process.ts';
import { registryProgram, registryPublisher } from '../../support/docker-registry.ts';
import { mcpPublisher } from '../../support/mcp-publisher.ts';
import { type Publisher, skillSite } from '../../support/skill-site.ts';
import { temporaryFolder } from '../../support/temporary-folder.ts';
import { installsOf } from '../support/installs.ts';

const wider = JSON.stringify({
  run: {
    runtime: 'process',
    entry: 'scripts/run.sh',
    protocol: 'command',
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
    start: registryPublisher,
    keepsVersions: true,
    // `npm test` fetches it, or reports that it is missing.
    isMissing: registryProgram === undefined,
  },
};

const started = new Map<string, Publisher>();
for (const [name, { start, isMissing }] of Object.entries(publishers))
  if (isMissing !== true) started.set(name, await start());
const network = [...started.values()].map(({ origin }) => origin);
const shared = sharedDaemon(async () => ({ installs: { network } }));
const { post: asked, review, approve, printed: printedBy } = installsOf(shared);

afterAll(async () => {
  for (const publisher of started.values()) await publisher.close();
});

describe.each(Object.keys(publishers))('%s', (name) => {
  test.skipIf(publishers[name]?.isMissing)(
    'has a skill that is added, reviewed, approved, run, updated and fetched again',
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
      await publish(version('first'));
      const config = join(await temporaryFolder(), 'review.yaml');
      await writeFile(config, JSON.stringify({ installs: { network: [origin] }, bundledSkills: false }));
      const reviewed = await ambit(['--json', 'skills', 'review', source, '--config', config]);
      expect(JSON.parse(reviewed.stdout)).toMatchObject({
        id: 'forms',
        description: 'first',
        source: { resolved: { sha256: expect.any(String) } },
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
      expect(second).toMatchObject({ reading: { description: 'second' }, approved: first.digest });
      await approve('its:forms', second);
      // What it asks for beyond the sandbox still needs a grant.
      expect(await printed()).toBe('CAPABILITY_DENIED');

      // The source moves on.
      await publish(version('third'));
      expect(await damage()).toBe('LOCK_MISMATCH');
      const fetched = [{ id: 'its:forms', change: 'fetched' }];
      const now = await post('/sync', {});
      if (publishers[name]?.keepsVersions) expect(now).toMatchObject(fetched);
      else expect(now).toBe('LOCK_MISMATCH');
      expect(await changes('/remove')).toEqual(['removed']);
    },
  );
});

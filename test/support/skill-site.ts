import { createHash } from 'node:crypto';
import { tarGzOf } from '../../packages/installs/src/testing/archives.ts';
import { localServer } from './local-server.ts';

/** A place where a test publishes one skill, `forms`. */
export interface Publisher {
  /** As typed for `ambit skills add`. */
  source: string;
  /** For `installs.network`. */
  origin: string;
  /** Publishes a version instead of the previous one. */
  publish(files: Readonly<Record<string, string>>): Promise<void>;
  close(): Promise<void>;
}

/** A static site with an index of skills. */
export async function skillSite(): Promise<Publisher> {
  const files = new Map<string, string | Uint8Array>();
  const { origin, close } = await localServer((request, response) => {
    const file = files.get(request.url ?? '');
    if (file === undefined) response.writeHead(404).end();
    else response.end(file);
  });
  return {
    source: origin,
    origin,
    async publish(skill) {
      const archive = await tarGzOf(Object.entries(skill).map(([path, content]) => ({ path, content })));
      const digest = `sha256:${createHash('sha256').update(archive).digest('hex')}`;
      files.set('/.well-known/agent-skills/forms.tar.gz', archive);
      files.set(
        '/.well-known/agent-skills/index.json',
        JSON.stringify({
          $schema: 'https://schemas.agentskills.io/discovery/0.2.0/schema.json',
          skills: [{ name: 'forms', type: 'archive', description: 'd', url: 'forms.tar.gz', digest }],
        }),
      );
    },
    close: async () => close(),
  };
}

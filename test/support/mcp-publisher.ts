import { mkdir, mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { daemonProcess } from './daemon-process.ts';
import { localServer } from './local-server.ts';
import { proxyWithKey } from './proxy-with-key.ts';
import type { Publisher } from './skill-site.ts';
import { writeFiles } from './temporary-folder.ts';

/** Another daemon, which serves its skills over MCP to everyone: a server in front of it has the key. */
export async function mcpPublisher(): Promise<Publisher> {
  const folder = await mkdtemp(join(tmpdir(), 'ambit-mcp-'));
  const skills = join(folder, 'skills');
  await mkdir(skills);
  const daemon = await daemonProcess(folder, {
    skills: [{ path: skills, tier: 'local' }],
    bundledSkills: false,
  });
  const server = await localServer(proxyWithKey(daemon));
  return {
    source: `mcp+${server.origin}/mcp`,
    origin: server.origin,
    async publish(files) {
      await rm(join(skills, 'forms'), { recursive: true, force: true });
      await writeFiles(join(skills, 'forms'), files);
    },
    async close() {
      server.close();
      await daemon.stop('SIGKILL');
      await rm(folder, { recursive: true, force: true });
    },
  };
}

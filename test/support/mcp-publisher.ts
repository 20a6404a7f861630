import { mkdir, mkdtemp, rm, writeFile } from 'node:fs/promises';
import { createServer, request as send } from 'node:http';
import type { AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { daemonProcess } from './daemon-process.ts';
import type { Publisher } from './skill-site.ts';

/** Another daemon, which serves its skills over MCP to everyone: a server in front of it has the key. */
export async function mcpPublisher(): Promise<Publisher> {
  const folder = await mkdtemp(join(tmpdir(), 'ambit-mcp-'));
  const skills = join(folder, 'skills');
  await mkdir(skills);
  const daemon = await daemonProcess(folder, {
    skills: [{ path: skills, tier: 'local' }],
    bundledSkills: false,
  });
  const { host, hostname, port } = new URL(daemon.url);
  const server = createServer((request, response) => {
    const headers = { ...request.headers, host, authorization: `Bearer ${daemon.key}` };
    const onward = send({ hostname, port, path: request.url, method: request.method, headers }, (answer) => {
      response.writeHead(answer.statusCode ?? 502, answer.headers);
      answer.pipe(response);
    });
    request.pipe(onward.on('error', () => response.destroy()));
  });
  await new Promise<void>((resolve) => void server.listen(0, '127.0.0.1', resolve));
  const origin = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
  return {
    ...{ source: `mcp+${origin}/mcp`, origin },
    async publish(files) {
      await rm(join(skills, 'forms'), { recursive: true, force: true });
      for (const [path, content] of Object.entries(files)) {
        const place = join(skills, 'forms', path);
        await mkdir(dirname(place), { recursive: true });
        await writeFile(place, content);
      }
    },
    async close() {
      server.closeAllConnections();
      server.close();
      await daemon.stop('SIGKILL');
      await rm(folder, { recursive: true, force: true });
    },
  };
}

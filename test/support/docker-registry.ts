import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { tarGzOf } from '../../packages/installs/src/testing/archives.ts';
import { digestOf, manifestOf, manifestType } from '../../packages/installs/src/testing/registry.ts';
import { dockerRegistry } from '../../scripts/bootstrap/system-packages.mjs';
import { freePort } from './free-port.ts';
import type { Publisher } from './skill-site.ts';
import { until } from './until.ts';

const repository = 'acme/forms';

/** The path of Debian's `docker-registry`; `undefined`: it is missing. */
export const registryProgram = dockerRegistry(fileURLToPath(new URL('../..', import.meta.url)));

/** A `docker-registry` with an empty store. */
export async function registryPublisher(): Promise<Publisher> {
  const folder = await mkdtemp(join(tmpdir(), 'ambit-registry-'));
  const port = await freePort();
  const origin = `http://127.0.0.1:${port}`;
  const config = join(folder, 'config.json');
  await writeFile(
    config,
    JSON.stringify({
      version: '0.1',
      log: { accesslog: { disabled: true }, level: 'error' },
      storage: { filesystem: { rootdirectory: join(folder, 'store') } },
      http: { addr: `127.0.0.1:${port}` },
    }),
  );
  const child = spawn(registryProgram ?? 'docker-registry', ['serve', config], { stdio: 'ignore' });
  await once(child, 'spawn');
  const ended = once(child, 'exit');
  await until(async () => (await fetch(`${origin}/v2/`).catch(() => undefined))?.ok === true);
  return {
    source: `oci://127.0.0.1:${port}/${repository}`,
    origin,
    async publish(skill) {
      const entries = Object.entries(skill).map(([path, content]) => ({ path: `forms/${path}`, content }));
      const layer = {
        mediaType: 'application/vnd.oci.image.layer.v1.tar+gzip',
        bytes: await tarGzOf(entries),
      };
      for (const blob of [layer.bytes, Buffer.from('{}')]) await pushBlob(origin, blob);
      await pushed(`${origin}/v2/${repository}/manifests/latest`, {
        method: 'PUT',
        headers: { 'content-type': manifestType },
        body: manifestOf([layer]),
      });
    },
    async close() {
      child.kill('SIGKILL');
      await ended;
      await rm(folder, { recursive: true, force: true });
    },
  };
}

async function pushBlob(origin: string, blob: Uint8Array): Promise<void> {
  const { headers } = await pushed(`${origin}/v2/${repository}/blobs/uploads/`, { method: 'POST' });
  const place = new URL(headers.get('location') ?? '', origin);
  place.searchParams.set('digest', digestOf(blob));
  await pushed(place, {
    method: 'PUT',
    headers: { 'content-type': 'application/octet-stream' },
    body: Buffer.from(blob),
  });
}

async function pushed(url: string | URL, request: RequestInit): Promise<Response> {
  const response = await fetch(url, request);
  if (!response.ok) throw new Error(`${request.method} ${url}: ${response.status} ${await response.text()}`);
  return response;
}

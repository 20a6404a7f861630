import { type IncomingMessage, request } from 'node:http';
import { sharedDaemon, startDaemon } from '../../support/daemon.ts';
import type { Daemon } from '../../support/daemon-process.ts';
import { pythonSkill, writeSkills } from '../../support/skills.ts';
import { temporaryFolder } from '../../support/temporary-folder.ts';

const command = (body: string, capabilities: object = { filesystem: { write: ['workspace'] } }) => ({
  'ambit.yaml': JSON.stringify({
    run: {
      runtime: 'process',
      entry: 'scripts/run.py',
      protocol: 'command',
      capabilities: { exec: ['python3'], ...capabilities },
    },
  }),
  'scripts/run.py': `import os, sys\n${body}\n`,
});

/**
 * Skills of a daemon: `keeper` runs the given Python in a workspace, `blind` has no workspace, and `plain` returns its input.
 * `more` adds others.
 */
export async function configuration(
  workspaces: object = {},
  more: Parameters<typeof writeSkills>[1] = {},
): Promise<object> {
  return configurationIn(await temporaryFolder(), workspaces, more);
}

async function configurationIn(
  folder: string,
  workspaces: object = {},
  more: Parameters<typeof writeSkills>[1] = {},
): Promise<object> {
  await writeSkills(folder, {
    keeper: command('exec(sys.argv[1])'),
    blind: command('print("nothing here")', {}),
    plain: pythonSkill('print(json.dumps(given))'),
    ...more,
  });
  return { skills: [{ path: folder, tier: 'local' }], workspaces };
}

/** A daemon with these skills. */
export const start = async (...given: Parameters<typeof configuration>) =>
  startDaemon(await configuration(...given));

/** Returns a daemon with these skills that all tests of the calling file share. */
export const shared = (more?: Parameters<typeof writeSkills>[1]) =>
  sharedDaemon((folder) => configurationIn(folder, {}, more));

/** The id of a new workspace. */
export async function made({ request: send }: Daemon, body: object = {}): Promise<string> {
  return (await send('POST', '/workspaces', { body })).body.id;
}

interface Raw {
  status: number | undefined;
  headers: IncomingMessage['headers'];
  body: Buffer;
}

/** Sends the path unchanged, which `fetch` would normalize. */
export async function raw(
  { url, key }: Pick<Daemon, 'url' | 'key'>,
  method: string,
  path: string,
  { body, headers = {} }: { body?: string | Buffer; headers?: Record<string, string> } = {},
): Promise<Raw> {
  const answer = Promise.withResolvers<IncomingMessage>();
  const type = body === undefined ? {} : { 'content-type': 'application/octet-stream' };
  request(url, { method, path, headers: { authorization: `Bearer ${key}`, ...type, ...headers } })
    .on('response', answer.resolve)
    .on('error', answer.reject)
    .end(body);
  const response = await answer.promise;
  const chunks: Buffer[] = await response.toArray();
  return { status: response.statusCode, headers: response.headers, body: Buffer.concat(chunks) };
}

/** Writes bytes to a file in a workspace. */
export const put = (daemon: Daemon, id: string, path: string, body: string | Buffer, headers = {}) =>
  raw(daemon, 'PUT', `/workspaces/${id}/files/${path}`, { body, headers });
/** The bytes of a file in a workspace. */
export const get = (daemon: Daemon, id: string, path: string, headers = {}) =>
  raw(daemon, 'GET', `/workspaces/${id}/files/${path}`, { headers });

/** Runs `keeper` with Python code in a workspace. */
export const keep = (
  daemon: Daemon,
  workspace: string,
  body: string,
  more: object = {},
): ReturnType<Daemon['execute']> => daemon.execute('keeper', { args: [body], workspace, ...more });

/** The files of a workspace, as text. */
export async function contents(daemon: Daemon, id: string): Promise<Record<string, string>> {
  const { files } = (await daemon.request('GET', `/workspaces/${id}`)).body;
  const each = await Promise.all(
    files.map(async ({ path }: { path: string }) => [
      path,
      (await get(daemon, id, path.split('/').map(encodeURIComponent).join('/'))).body.toString(),
    ]),
  );
  return Object.fromEntries(each);
}

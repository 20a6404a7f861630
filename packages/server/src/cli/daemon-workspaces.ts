import { type AmbitClientOptions, AmbitProblem } from '@ambit/client';
import { saidHere, unreachable } from './daemon-client.ts';
import type { WorkspaceClient } from './workspace-client.ts';

/** Asks a daemon for workspaces. */
export function daemonWorkspaces({
  url,
  key,
  fetch: call = fetch,
}: Pick<AmbitClientOptions, 'url' | 'key' | 'fetch'>): WorkspaceClient {
  const send = async (
    method: string,
    place: string,
    type?: string,
    body?: string | Uint8Array,
  ): Promise<Response> => {
    try {
      const response = await call(`${url}/workspaces${place}`, {
        method,
        headers: { authorization: `Bearer ${key}`, ...(type === undefined ? {} : { 'content-type': type }) },
        ...(body === undefined ? {} : { body: body as NonNullable<RequestInit['body']> }),
      });
      if (response.ok) return response;
      throw saidHere(url, new AmbitProblem((await response.json()) as AmbitProblem['problem']));
    } catch (error) {
      // What `fetch` throws when nobody answers.
      throw error instanceof TypeError || error instanceof SyntaxError ? unreachable(url, error) : error;
    }
  };
  const json = async <Answer>(...request: Parameters<typeof send>): Promise<Answer> =>
    (await send(...request)).json() as Promise<Answer>;
  return {
    create: (wishes) => json('POST', '', 'application/json', JSON.stringify(wishes)),
    list: async () => (await json<{ workspaces: [] }>('GET', '')).workspaces,
    show: (id) => json('GET', placeOf(id)),
    put: (id, path, content) => json('PUT', placeOf(id, path), 'application/octet-stream', content),
    get: async (id, path) => new Uint8Array(await (await send('GET', placeOf(id, path))).arrayBuffer()),
    remove: async (id, path) => void (await send('DELETE', placeOf(id, path))),
  };
}

function placeOf(id: string, path?: string): string {
  const workspace = `/${encodeURIComponent(id)}`;
  if (path === undefined) return workspace;
  return `${workspace}/files/${path.split('/').map(encodeURIComponent).join('/')}`;
}

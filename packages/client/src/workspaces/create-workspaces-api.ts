import type { Caller } from '../client/caller.ts';
import { bytesOf } from '../request/body-of.ts';
import type { WorkspacesApi } from './workspaces-api.ts';

/** The workspaces API over `caller`. */
export function workspacesApi({ get, getAs, transport, within }: Caller): WorkspacesApi {
  return {
    // Not safe to repeat: it would create two.
    create: (wishes, options = {}) =>
      transport.json('createWorkspace', { body: wishes ?? {} }, { ...within(options), isRepeatable: false }),
    list: async (options) => (await get('listWorkspaces', {}, options)).workspaces,
    get: (id, options) => get('getWorkspace', { path: { id } }, options),
    remove: (id, options) => getAs('deleteWorkspace', { path: { id } }, options, nothing),
    read: (id, path, options) => getAs('getWorkspaceFile', { path: placeOf(id, path) }, options, bytesOf),
    put: (id, path, bytes, options) => get('putWorkspaceFile', { path: placeOf(id, path), bytes }, options),
    removeFile: (id, path, options) =>
      getAs('deleteWorkspaceFile', { path: placeOf(id, path) }, options, nothing),
  };
}

function placeOf(id: string, path: string): { id: string; path: readonly string[] } {
  return { id, path: path.split('/') };
}

async function nothing(): Promise<void> {
  // The success is the whole result.
}

import { type AmbitClientOptions, ambitClient } from '@ambit/client';
import type { WorkspaceClient } from '../ports/actions.ts';
import { withLocalErrors } from './local-error.ts';

/** Manages a daemon's workspaces. */
export function daemonWorkspaces(daemon: AmbitClientOptions): WorkspaceClient {
  const { workspaces } = ambitClient(daemon);
  const translated = withLocalErrors(daemon.url);
  return {
    create: (options) => translated(workspaces.create(options)),
    list: () => translated(workspaces.list()),
    show: (id) => translated(workspaces.get(id)),
    put: (id, path, content) => translated(workspaces.put(id, path, content)),
    putAll: (id, archive) => translated(workspaces.putAll(id, ReadableStream.from(archive))),
    get: (id, path) => translated(workspaces.read(id, path)),
    remove: (id, path) =>
      translated(path === undefined ? workspaces.remove(id) : workspaces.removeFile(id, path)),
  };
}

import { type AmbitClientOptions, ambitClient } from '@ambit/client';
import type { WorkspaceClient } from '../actions/workspace-client.ts';
import { heardFrom } from './local-error.ts';

/** Asks a daemon for workspaces. */
export function daemonWorkspaces(daemon: AmbitClientOptions): WorkspaceClient {
  const { workspaces } = ambitClient(daemon);
  const said = heardFrom(daemon.url);
  return {
    create: (wishes) => said(workspaces.create(wishes)),
    list: () => said(workspaces.list()),
    show: (id) => said(workspaces.get(id)),
    put: (id, path, content) => said(workspaces.put(id, path, content)),
    get: (id, path) => said(workspaces.read(id, path)),
    remove: (id, path) => said(path === undefined ? workspaces.remove(id) : workspaces.removeFile(id, path)),
  };
}

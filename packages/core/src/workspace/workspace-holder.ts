import type { KnownWorkspaces } from './known-workspaces.ts';
import type { OpenWorkspaceState } from './workspace-lease.ts';
import type { SharedWorkspaces } from './workspace-storage.ts';

/** Gives a workspace back. Never rejects. */
export type LetGo = () => Promise<void>;

/** Takes workspaces for this caller alone, also among the nodes that share the storage. */
export interface WorkspaceHolder {
  /** `undefined` if `signal` aborts first. */
  take(entry: OpenWorkspaceState, signal: AbortSignal): Promise<LetGo | undefined>;
  /** Takes a workspace that this node has just made, which no one waits for. */
  takeNew(entry: OpenWorkspaceState): Promise<LetGo>;
}

export function workspaceHolder(
  { replace }: KnownWorkspaces,
  shared: SharedWorkspaces | undefined,
): WorkspaceHolder {
  const letGo = async (entry: OpenWorkspaceState, leave: () => void): Promise<void> => {
    // Kept while the log has a change that is not stored.
    if (entry.isHeld && entry.recorded === undefined)
      await shared?.drop(entry.current.id).then(
        () => (entry.isHeld = false),
        () => undefined, // a sweep repeats it
      );
    leave();
  };
  return {
    async take(entry, signal) {
      const leave = await entry.lock.acquire(signal);
      if (leave === undefined || shared === undefined) return leave && (async () => leave());
      try {
        const held = await shared.hold(entry.current.id, signal);
        if (held === undefined) {
          leave();
          return undefined;
        }
        // The log has it, but another node may have changed the workspace since: it is lost.
        if (!held.isKept) entry.recorded = undefined;
        if (entry.recorded === undefined) replace(entry, held.record ?? undefined);
        entry.isHeld = !entry.isGone;
      } catch (error) {
        // The answer may have been lost. Then a sweep drops it.
        entry.isHeld = true;
        leave();
        throw error;
      }
      return () => letGo(entry, leave);
    },
    async takeNew(entry) {
      const leave = await entry.lock.acquire(new AbortController().signal);
      return async () => {
        if (leave !== undefined) await letGo(entry, leave);
      };
    },
  };
}

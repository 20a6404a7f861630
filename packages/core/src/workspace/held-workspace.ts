import type { WorkspaceLease } from './workspace-lease.ts';
import type { Workspaces } from './workspaces.ts';

/** The part of workspaces that a call needs. */
export type EnterWorkspace = Pick<Workspaces, 'enter'>;

/** Workspaces that stay locked between calls. */
export interface HeldWorkspaces extends EnterWorkspace {
  /** Releases all of them. */
  leave(): Promise<void>;
}

/**
 * The same workspaces, each of which stays locked from its first call until `leave`, so that no
 * other call runs in between.
 */
export function heldWorkspaces(workspaces: EnterWorkspace): HeldWorkspaces {
  const held = new Map<string, WorkspaceLease>();
  return {
    async enter(owner, id, signal) {
      const turn = held.get(id) ?? (await workspaces.enter(owner, id, signal));
      if (turn === undefined) return undefined;
      held.set(id, turn);
      return { ...turn, release: async () => undefined };
    },
    async leave() {
      for (const turn of held.values()) await turn.release();
    },
  };
}

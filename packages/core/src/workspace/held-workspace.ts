import type { WorkspaceLease } from './workspace-lease.ts';
import type { Workspaces } from './workspaces.ts';

/** What of workspaces a call needs. */
export type EnterWorkspace = Pick<Workspaces, 'enter'>;

/** Workspaces whose turns are kept. */
export interface HeldWorkspaces extends EnterWorkspace {
  /** Gives all of them to the next. */
  leave(): Promise<void>;
}

/**
 * The same workspaces, but that the turn at one is kept from the first call in it until `leave`: what is run
 * one after another has nobody in between.
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

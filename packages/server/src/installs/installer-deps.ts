import type { AuditEvent, AuditPosition } from '@ambit/core/audit';
import type { Config } from '../config/config.ts';
import type { Lock } from '../lock/lock-file.ts';
import type { Store } from '../store/store.ts';
import type { Decisions } from './decisions.ts';

/** The target that a lock file is applied to. */
export interface LockTarget {
  /** The configuration in force. */
  config(): Config;
  /** Applies what was changed: the lock file and the decisions are read again. */
  apply(): Promise<void>;
}

/** The dependencies of changes to installed skills. */
export interface InstallerDeps extends LockTarget {
  store: Pick<Store, 'run'>;
  /** Appends to the audit log. */
  append(event: AuditEvent): Promise<AuditPosition>;
  now(): number;
  /** Absent without a cluster: the lock file is this daemon's own. */
  shared?: SharedLock | undefined;
}

/** The lock file of a cluster. The database has it, and each node has a copy. */
export interface SharedLock {
  /** Brings the copy of this node up to date, and resolves to what the cluster's lock file lists. */
  read(target: LockTarget): Promise<SharedRevision>;
  /** Also fetches stored versions that are missing or damaged. */
  restore(target: LockTarget): Promise<void>;
  /**
   * Makes a change for all nodes: claims the revision after `revision`, runs `change`, shares `next`, and runs `commit`.
   * Rejects with `REVIEW_STALE` before `change` if another node was faster; then nothing is changed.
   */
  publish<Result>(
    target: LockTarget,
    next: SharedRevision & { actor: string },
    change: () => Promise<Result>,
    commit: () => Promise<void>,
  ): Promise<Result>;
}

/** A revision of the cluster's lock file. */
export interface SharedRevision {
  lock: Lock;
  /** 0: nothing is shared yet. */
  revision: number;
}

/** The dependencies of changes that read a source. */
export interface FetchingDeps extends InstallerDeps {
  /** Makes one change after the others, from the state that they left. Rejects if `signal` has ended until then. */
  changing<Result>(signal: AbortSignal, change: (installed: Installed) => Promise<Result>): Promise<Result>;
}

/** The state that a change starts from. */
export interface Installed {
  config: Config;
  lock: Lock;
  decisions: Decisions;
  /** The revision of the cluster's lock file; 0 without a cluster. */
  revision: number;
}

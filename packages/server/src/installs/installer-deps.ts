import type { AuditEvent } from '@ambit/core/audit';
import type { AuditPosition } from '@ambit/core/internal';
import type { Config } from '../config/config.ts';
import type { Lock } from '../lock/lock-file.ts';
import type { Store } from '../store/store.ts';
import type { Decisions } from './decisions.ts';

/** What changes of installed skills need. */
export interface InstallerDeps {
  /** The configuration in force. */
  config(): Config;
  store: Pick<Store, 'run'>;
  /** Appends to the audit log. */
  append(event: AuditEvent): Promise<AuditPosition>;
  /** Applies what was changed: the lock file and the decisions are read again. */
  apply(): Promise<void>;
  now(): number;
}

/** What changes that read a source need. */
export interface FetchingDeps extends InstallerDeps {
  /** Makes one change after the others, from the state that they left. Rejects if `signal` has ended until then. */
  changing<Result>(signal: AbortSignal, change: (installed: Installed) => Promise<Result>): Promise<Result>;
}

/** What a change starts from. */
export interface Installed {
  config: Config;
  lock: Lock;
  decisions: Decisions;
}

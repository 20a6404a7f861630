import type { Flaw, LogPruned } from '@ambit/core/audit';
import { isSignedPruning } from '../retention/sign-pruning.ts';
import type { TrustedKeys } from './trusted-keys.ts';

/**
 * Checks the signatures of recorded prunings: otherwise anyone with write access to the file could
 * add such an event and remove what it covers.
 */
export interface PruningCheck {
  see(sequence: number, event: LogPruned): Flaw | undefined;
  /** The flaw once the trusted keys are known. */
  afterwards(): Flaw | undefined;
  /** The last sequence that the events so far record as pruned. */
  through(what: LogPruned['what']): number;
}

export function pruningCheck(logId: string, keys: TrustedKeys): PruningCheck {
  const seen: { sequence: number; keyId: string }[] = [];
  const through = { events: 0, payloads: 0 };
  return {
    see(sequence, event) {
      const key = keys.find(event.keyId);
      if (key === undefined || !isSignedPruning(key, logId, event)) return forged(sequence);
      seen.push({ sequence, keyId: event.keyId });
      through[event.what] = Math.max(through[event.what], event.through);
      return undefined;
    },
    afterwards() {
      const untrusted = seen.find(({ keyId }) => !keys.isTrusted(keyId));
      return untrusted && unknownKey(untrusted.sequence, untrusted.keyId);
    },
    through: (what) => through[what],
  };
}

function forged(sequence: number): Flaw {
  return {
    reason: 'pruning-forged',
    sequence,
    message: `event ${sequence} records a pruning, but no key of this log has signed it`,
  };
}

function unknownKey(sequence: number, keyId: string): Flaw {
  return {
    reason: 'key-unknown',
    sequence,
    message: `the pruning in event ${sequence} is signed by the key ${keyId}, which no trusted key vouches for`,
  };
}

import type { Flaw, LogPruned } from '@ambit/core/internal';
import { isSignedPruning } from '../sign/sign-pruning.ts';
import type { TrustedKeys } from './trusted-keys.ts';

/** Judges the events by which a log was pruned: whoever has only the file could add one and take away what it speaks of. */
export interface PruningCheck {
  see(sequence: number, event: LogPruned): Flaw | undefined;
  /** What is wrong once it is known whose signatures count. */
  afterwards(): Flaw | undefined;
  /** Up to which sequence the events that were seen say that something has been pruned. */
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
      const stranger = seen.find(({ keyId }) => !keys.isTrusted(keyId));
      return stranger && unknownKey(stranger.sequence, stranger.keyId);
    },
    through: (what) => through[what],
  };
}

function forged(sequence: number): Flaw {
  return {
    reason: 'pruning-forged',
    sequence,
    message: `event ${sequence} says that the log was pruned, and no key of this log has signed for that`,
  };
}

function unknownKey(sequence: number, keyId: string): Flaw {
  return {
    reason: 'key-unknown',
    sequence,
    message: `the pruning that event ${sequence} tells of is signed by the key ${keyId}, for which nobody trusted speaks`,
  };
}

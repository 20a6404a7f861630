import { randomBytes, timingSafeEqual } from 'node:crypto';
import type { Scope } from '@ambit/api';
import type { Confirmation } from '@ambit/core/audit';
import { keyDigest } from '../auth/authenticate.ts';

/** The purpose of a code: to open a session, or to confirm an action of a session. */
export type CodePurpose = 'sign-in' | 'confirm';

/** A new code. `code` itself is only in the response. */
export interface IssuedCode extends Confirmation {
  code: string;
  /** Milliseconds since the epoch. */
  expiresAt: number;
}

/** A code that was valid, and the scopes of the session that it opens. */
interface RedeemedCode {
  confirmation: Confirmation;
  scopes: readonly Scope[];
}

/** The one-time codes of a daemon, in memory. */
export interface OneTimeCodes {
  /** `scopes` are of the session that it opens. */
  issue(purpose: CodePurpose, scopes: readonly Scope[], decision?: string): IssuedCode;
  /**
   * Uses a code up, also one for something else. `undefined` if it is unknown, used, expired, or for another purpose or
   * decision.
   */
  redeem(code: string, purpose: CodePurpose, decision?: string): RedeemedCode | undefined;
  /** Whether a code for this purpose is valid. */
  hasValid(purpose: CodePurpose): boolean;
}

/** A code is valid for this long. */
const codeMs = 60_000;

/** A further code replaces the oldest one. */
const codesMax = 100;

/** Starts without codes. `now` is in milliseconds since the epoch. */
export function oneTimeCodes(now: () => number): OneTimeCodes {
  let issued: (RedeemedCode & { hash: Buffer; purpose: CodePurpose; decision: string | undefined })[] = [];
  const valid = () => issued.filter(({ confirmation }) => now() - confirmation.issuedAt < codeMs);
  return {
    issue(purpose, scopes, decision) {
      const code = consoleSecret('code');
      const hash = keyDigest(code);
      const confirmation = { digest: `sha256:${hash.toString('hex')}`, issuedAt: now() };
      issued = [...valid().slice(1 - codesMax), { confirmation, scopes, hash, purpose, decision }];
      return { ...confirmation, code, expiresAt: confirmation.issuedAt + codeMs };
    },
    redeem(code, purpose, decision) {
      const hash = keyDigest(code);
      const [found] = valid().filter((each) => timingSafeEqual(each.hash, hash));
      issued = issued.filter((each) => each !== found);
      if (found?.purpose !== purpose || found.decision !== decision) return undefined;
      const { confirmation, scopes } = found;
      return { confirmation, scopes };
    },
    hasValid: (purpose) => valid().some((each) => each.purpose === purpose),
  };
}

/** 32 random bytes in base64url, after a beginning by which a text with them is redacted. */
export function consoleSecret(kind: 'code' | 'session'): string {
  return `ambit_${kind}_${randomBytes(32).toString('base64url')}`;
}

import type { Capabilities } from '../capability/capabilities.ts';
import type { Tier } from '../capability/tier.ts';
import type { OutcomeStatus } from '../outcome/outcome.ts';
import type { ContentDigest } from './audit-event.ts';

/**
 * A statement with its signature: Ed25519 (RFC 8032) over the canonical JSON (RFC 8785) of
 * `statement`, in base64. `keyId` is the SHA-256 of the public key's DER, hex.
 */
export interface Signed<Statement> {
  statement: Statement;
  keyId: string;
  signature: string;
}

/**
 * The end of the log at one time. A copy stored elsewhere proves that earlier events are unchanged.
 */
export interface Checkpoint {
  type: 'ambit/checkpoint/1';
  logId: string;
  sequence: number;
  /** Of the event at `sequence`: `sha256:…`. */
  hash: string;
  /** ISO 8601, UTC. */
  time: string;
}

/** The result of one execution, as proof for others who do not have the log. */
export interface Receipt {
  type: 'ambit/receipt/1';
  logId: string;
  executionId: string;
  skill: { id: string; version: string | null; digest: string; tier: Tier } | { id: string };
  actor: string | null;
  policyDigest: string;
  /** `null` if it was not recorded because the daemon died during the call. */
  decision: 'granted' | 'denied' | null;
  requested: Capabilities | null;
  granted: Capabilities | null;
  input: ContentDigest;
  output: ContentDigest | null;
  outcome: OutcomeStatus | 'denied';
  /** The code of a refusal. */
  error: string | null;
  startedAt: string;
  endedAt: string;
  /** Its events, by their place in the chain. */
  events: readonly { sequence: number; hash: string }[];
}

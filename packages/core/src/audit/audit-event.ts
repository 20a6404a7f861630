import type { Capabilities } from '../capability/capabilities.ts';
import type { Denial } from '../capability/denial.ts';
import type { Limits } from '../capability/limits.ts';
import type { Tier } from '../capability/tier.ts';
import type { EgressConnection } from '../egress/egress-connection.ts';
import type { Failure, OutcomeStatus, Usage } from '../execute/outcome.ts';

/** Which way a call came in. */
export type Door = 'http' | 'cli';

/** Who called: the key's name, or the user of the command line. Never a key itself. */
export type Actor = string;

/** SHA-256 and size of bytes that are not kept. */
export interface ContentDigest {
  /** `sha256:…` */
  digest: string;
  bytes: number;
}

interface Opening {
  executionId: string;
  /** Milliseconds since the epoch. */
  time: number;
  door: Door;
  /** `null` when nobody could be told. */
  actor: Actor | null;
}

/** The skill as it was found, or only the name that was asked for. */
export type RecordedSkill =
  | { id: string }
  | { id: string; version: string | null; digest: string; tier: Tier };

/** Written, durably, before anything runs. */
export interface CallStarted extends Opening {
  kind: 'call.started';
  /** The chain that the call is a link of; absent for a call by itself. */
  parentId?: string;
  skill: RecordedSkill;
  policyDigest: string;
  /** What the skill requests; `null` where no such skill was found. */
  requested: Capabilities | null;
  input: ContentDigest;
}

/** The run ended, in whatever way. */
export interface CallFinished {
  kind: 'call.finished';
  executionId: string;
  time: number;
  granted: Capabilities;
  limits: Limits;
  /** The walls that stood. */
  sandbox: string;
  outcome: OutcomeStatus;
  failure: Failure | null;
  /** `null` when the outcome has no output. */
  output: ContentDigest | null;
  usage: Usage;
  /** What the run tried to touch and was not let. Absent in logs from before it was written. */
  denied?: readonly Denial[];
  /** What it reached on the network, or tried to; absent for a call without one. */
  connections?: readonly EgressConnection[];
}

/** Refused, or not started. */
export interface CallDenied {
  kind: 'call.denied';
  executionId: string;
  time: number;
  /** A stable code, of core or of the door. */
  code: string;
  /** What the caller was told. */
  message: string;
  denied: readonly Denial[];
}

/** Refused at the door, before it was clear what was being called. Opens and closes its record at once. */
export interface RequestDenied extends Opening {
  kind: 'request.denied' | 'auth.rejected';
  code: string;
  message: string;
  /** The method and path that were asked for, bounded. */
  request: string;
}

/** The daemon died during the call; found and written at its next start. */
export interface CallInterrupted {
  kind: 'call.interrupted';
  executionId: string;
  time: number;
}

/** All that is ever written to the log. Only what was observed: a field that nobody measured is `null`. */
export type AuditEvent = CallStarted | CallFinished | CallDenied | CallInterrupted | RequestDenied;

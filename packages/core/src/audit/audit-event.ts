import type { Capabilities } from '../capability/capabilities.ts';
import type { Denial } from '../capability/denial.ts';
import type { RecordedLimits } from '../capability/limits.ts';
import type { Tier } from '../capability/tier.ts';
import type { EgressConnection } from '../egress/egress-connection.ts';
import type { Failure, OutcomeStatus, Usage } from '../execute/outcome.ts';
import type { UsedCapabilities } from '../execute/used.ts';

/** Every entry point of a call. */
export const entryPoints = ['http', 'mcp', 'cli'] as const;

/** How a call came in. */
export type EntryPoint = (typeof entryPoints)[number];

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
  via: EntryPoint;
  /** `null` when nobody could be told. */
  actor: Actor | null;
}

/** The skill as it was found, or only the name that was asked for. */
export type RecordedSkill =
  | { id: string }
  | { id: string; version: string | null; digest: string; tier: Tier };

/**
 * What was kept of an input or an output, beside the event and not in it, so that it can be pruned: `text` is redacted and
 * bounded by then, and the event has its digest.
 */
export interface RecordedPayload {
  of: 'input' | 'output';
  text: string;
  /** Whether more of it was there than is kept. */
  isCut: boolean;
}

/** A workspace around a call: what was in it before and after, by its digest (hex). Nothing was kept where they are the same. */
export interface RecordedWorkspace {
  id: string;
  before: string;
  after: string;
}

/** Written, durably, before anything runs. */
export interface CallStarted extends Opening {
  kind: 'call.started';
  /** The chain that the call is a link of; absent for a call by itself. */
  parentId?: string;
  skill: RecordedSkill;
  policyDigest: string;
  /** What the call requests; `null` where no such skill was found. */
  requested: Capabilities | null;
  /** The part of it that the operator's grant adds, for a skill that requests nothing itself; absent: none. */
  added?: Capabilities;
  input: ContentDigest;
  /** Of the text that was kept of the input; absent where none was. */
  kept?: ContentDigest;
  /** The workspace that it names; absent: none. */
  workspace?: string;
}

/** The run ended, in whatever way. */
export interface CallFinished {
  kind: 'call.finished';
  executionId: string;
  time: number;
  granted: Capabilities;
  limits: RecordedLimits;
  /** The walls that stood. */
  sandbox: string;
  outcome: OutcomeStatus;
  /** Who or what canceled it; absent for every other outcome, and in logs from before it was written. */
  reason?: string;
  failure: Failure | null;
  /** `null` when the outcome has no output. */
  output: ContentDigest | null;
  /** Of the text that was kept of the output; absent where none was. */
  kept?: ContentDigest;
  usage: Usage;
  /** What the run tried to touch and was not let. Absent in logs from before it was written. */
  denied?: readonly Denial[];
  /** What it reached on the network, or tried to; absent for a call without one. */
  connections?: readonly EgressConnection[];
  /** What it used of what it was granted. Absent in logs from before it was written. */
  used?: UsedCapabilities;
  /** What became of the workspace that it ran in; absent for a call without one. */
  workspace?: RecordedWorkspace;
}

/** Refused, or not started. */
export interface CallDenied {
  kind: 'call.denied';
  executionId: string;
  time: number;
  /** A stable code, of core or of the transport. */
  code: string;
  /** What the caller was told. */
  message: string;
  denied: readonly Denial[];
}

/** Refused before it was clear what was being called. Opens and closes its record at once. */
interface RequestDenied extends Opening {
  kind: 'request.denied' | 'auth.rejected';
  code: string;
  message: string;
  /** The method and path that were asked for, bounded. */
  request: string;
}

/** The daemon died during the call; found and written at its next start. */
interface CallInterrupted {
  kind: 'call.interrupted';
  executionId: string;
  time: number;
}

/** The daemon took the log. What it found there and could not close is closed right after. */
interface DaemonStarted {
  kind: 'daemon.started';
  time: number;
  version: string;
  policyDigest: string;
}

/** The daemon gave the log back, in order. */
interface DaemonStopped {
  kind: 'daemon.stopped';
  time: number;
  reason: string;
}

/** Another policy speaks from here on. */
interface PolicyChanged {
  kind: 'policy.changed';
  time: number;
  /** `null` for the first that this log knows. */
  from: string | null;
  to: string;
}

/** The configuration was read again while the daemon ran, and holds from here on. */
export interface ConfigReloaded {
  kind: 'config.reloaded';
  time: number;
  policyDigest: string;
  /** What is otherwise than before, by its place in the configuration, never its value. Empty: nothing is. */
  changed: readonly string[];
}

/** The configuration was read again and cannot be used; what held before holds. */
interface ConfigRefused {
  kind: 'config.refused';
  time: number;
  /** Every mistake. */
  message: string;
}

/** A skill of another content than at its last call, or at its first, is about to be called. */
interface SkillChanged {
  kind: 'skill.changed';
  time: number;
  skill: { id: string; version: string | null; digest: string; tier: Tier };
  /** The digest that it had; `null` at its first call. */
  from: string | null;
}

/** Payloads, or events whole, were taken out of the log by its operator's rules. What stands after it still verifies. */
export interface LogPruned {
  kind: 'log.pruned';
  time: number;
  what: 'payloads' | 'events';
  /** The last sequence that it concerns. */
  through: number;
  /** The hash of that event, from which the chain goes on when events are gone. */
  hash: string;
  count: number;
  /** The key that signs for the log at that time, and its word for all this, base64: nobody else can prune it. */
  keyId: string;
  signature: string;
}

/** From here on another key signs. The old one has signed for it, unless it was lost. */
export interface KeyRotated {
  kind: 'key.rotated';
  time: number;
  from: string;
  to: string;
  /** The new public key, SPKI in PEM. */
  publicKey: string;
  /** The old key's signature over the new public key, base64; `null` when the old key was lost. */
  signature: string | null;
  /** The new key's signature over the old one's id, base64: nobody else can say what it took over from. */
  acceptance: string;
}

interface AboutWorkspace {
  time: number;
  workspace: string;
  /** Whose it is. */
  actor: Actor;
}

/** A workspace that lives across calls is about to be made. */
interface WorkspaceCreated extends AboutWorkspace {
  kind: 'workspace.created';
  quotaBytes: number;
  /** Milliseconds since the epoch; each use moves it. */
  expiresAt: number;
}

/** A file of a workspace is about to be put there by its owner, or taken away. What calls change is in their records. */
interface WorkspaceWritten extends AboutWorkspace {
  kind: 'workspace.written';
  path: string;
  /** `null` for a file that is taken away. */
  content: ContentDigest | null;
}

/** A workspace is about to be removed: by its owner, or because nobody used it for so long. */
interface WorkspaceRemoved extends AboutWorkspace {
  kind: 'workspace.deleted' | 'workspace.expired';
}

/** What happens to the log or around it, and belongs to no call. */
export type DaemonEvent =
  | DaemonStarted
  | DaemonStopped
  | PolicyChanged
  | ConfigReloaded
  | ConfigRefused
  | SkillChanged
  | LogPruned
  | KeyRotated
  | WorkspaceCreated
  | WorkspaceWritten
  | WorkspaceRemoved;

/** What belongs to a call, or to a request that never became one. */
export type CallEvent = CallStarted | CallFinished | CallDenied | CallInterrupted | RequestDenied;

/** All that is ever written to the log. Only what was observed: a field that nobody measured is `null`. */
export type AuditEvent = CallEvent | DaemonEvent;

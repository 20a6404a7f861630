import type { Capabilities } from '../capability/capabilities.ts';
import type { Denial } from '../capability/denial.ts';
import type { Limits } from '../capability/limits.ts';
import type { Tier } from '../capability/tier.ts';
import type { EgressConnection } from '../egress/egress-connection.ts';
import type { HostCalls } from '../outcome/host-calls.ts';
import type { Failure, OutcomeStatus, Usage } from '../outcome/outcome.ts';
import type { UsedCapabilities } from '../outcome/used.ts';
import type {
  Actor,
  ContentDigest,
  EntryPoint,
  FoundSkill,
  RecordedSkill,
  RecordedWorkspace,
} from './event-parts.ts';

interface Opening {
  executionId: string;
  /** Milliseconds since the epoch. */
  time: number;
  via: EntryPoint;
  /** `null` if unknown. */
  actor: Actor | null;
}

/** Durable before the call has any effect. */
export interface CallStarted extends Opening {
  kind: 'call.started';
  /** The chain that the call belongs to; absent for a single call. */
  parentId?: string;
  skill: RecordedSkill;
  policyDigest: string;
  /** The capabilities that the call requests; `null` if the skill was not found. */
  requested: Capabilities | null;
  /**
   * The part that the operator's grant adds, for a skill that requests nothing itself. Absent:
   * none.
   */
  added?: Capabilities;
  input: ContentDigest;
  /** Digest of the stored text of the input; absent if none is stored. */
  stored?: ContentDigest;
  /** The workspace that the call names; absent: none. */
  workspace?: string;
}

/** The run ended. */
export interface CallFinished {
  kind: 'call.finished';
  executionId: string;
  time: number;
  granted: Capabilities;
  limits: Limits;
  /** The sandbox that was used. */
  sandbox: string;
  outcome: OutcomeStatus;
  /** The cause of the cancellation. Absent for every other outcome. */
  reason?: string;
  /** The configuration or option that raises the limit that ended the call. Absent: no limit did. */
  remedy?: string;
  failure: Failure | null;
  /** `null` if the outcome has no output. */
  output: ContentDigest | null;
  /** Digest of the stored text of the output; absent if none is stored. */
  stored?: ContentDigest;
  usage: Usage;
  /** The accesses that the sandbox refused during the run. */
  denied: readonly Denial[];
  /** Its network connections and attempts; absent for a call without network. */
  connections?: readonly EgressConnection[];
  /** The host functions that it called. Absent: none. */
  hostCalls?: HostCalls;
  /** The number of redactions in what it received, wrote and returned. Absent: none. */
  redactions?: number;
  /** Programs that it may have lacked: its scripts name them, this machine has them. Absent: none. */
  missingPrograms?: readonly string[];
  /** The part of its grant that it used. */
  used: UsedCapabilities;
  /** The workspace that it ran in; absent for a call without one. */
  workspace?: RecordedWorkspace;
}

/** Refused or not started. */
export interface CallDenied {
  kind: 'call.denied';
  executionId: string;
  time: number;
  /** A stable code, from core or the transport. */
  code: string;
  /** The message for the caller. */
  message: string;
  denied: readonly Denial[];
}

/** Refused before the called skill was known. This event is the whole record. */
interface RequestDenied extends Opening {
  kind: 'request.denied' | 'auth.rejected';
  code: string;
  message: string;
  /** The requested method and path, truncated. */
  request: string;
}

/** The daemon died during the call. Written at its next start. */
interface CallInterrupted {
  kind: 'call.interrupted';
  executionId: string;
  time: number;
}

/** The daemon opened the log. Open records that it finds are closed next. */
interface DaemonStarted {
  kind: 'daemon.started';
  time: number;
  version: string;
  policyDigest: string;
}

/** The daemon closed the log in an orderly shutdown. */
interface DaemonStopped {
  kind: 'daemon.stopped';
  time: number;
  reason: string;
}

/** The policy changed. */
interface PolicyChanged {
  kind: 'policy.changed';
  time: number;
  /** `null` for the first policy in this log. */
  from: string | null;
  to: string;
}

/** The configuration was reloaded while the daemon ran. */
export interface ConfigReloaded {
  kind: 'config.reloaded';
  time: number;
  policyDigest: string;
  /** Keys that changed, without their values. Empty: none. */
  changed: readonly string[];
  /** The revision of the cluster's policy that is in force; absent: none was published. */
  clusterPolicy?: number | undefined;
}

/** A reloaded configuration is invalid. The previous one stays in force. */
interface ConfigRefused {
  kind: 'config.refused';
  time: number;
  /** All mistakes. */
  message: string;
}

/** A skill that is about to be called is new, or has changed since its last call. */
interface SkillChanged {
  kind: 'skill.changed';
  time: number;
  skill: FoundSkill;
  /** The previous digest; `null` at its first call. */
  from: string | null;
}

/** Retention removed payloads or whole events from the log. The remaining events still verify. */
export interface LogPruned {
  kind: 'log.pruned';
  time: number;
  what: 'payloads' | 'events';
  /** The last sequence that was pruned. */
  through: number;
  /** The hash of that event, from which the chain continues if events were removed. */
  hash: string;
  count: number;
  /**
   * The audit signing key at that time and its signature over this event, base64. No other key can
   * prune.
   */
  keyId: string;
  signature: string;
}

/** Another key signs from here on. The old key has signed the new one, unless it was lost. */
export interface KeyRotated {
  kind: 'key.rotated';
  time: number;
  from: string;
  to: string;
  /** The new public key, SPKI in PEM. */
  publicKey: string;
  /** The old key's signature over the new public key, base64; `null` if the old key was lost. */
  signature: string | null;
  /**
   * The new key's signature over the old key's id, base64, so that only the new key can name its
   * predecessor.
   */
  acceptance: string;
}

interface AboutWorkspace {
  time: number;
  workspace: string;
  /** The owner. */
  actor: Actor;
}

/** A persistent workspace is about to be created. */
interface WorkspaceCreated extends AboutWorkspace {
  kind: 'workspace.created';
  quotaBytes: number;
  /** Milliseconds since the epoch; each use postpones it. */
  expiresAt: number;
}

/**
 * The owner is about to write or delete a file of a workspace. Changes by calls are in their
 * records.
 */
interface WorkspaceWritten extends AboutWorkspace {
  kind: 'workspace.written';
  path: string;
  /** `null` for a deletion. */
  content: ContentDigest | null;
}

/** A workspace is about to be removed by its owner, or because it expired. */
interface WorkspaceRemoved extends AboutWorkspace {
  kind: 'workspace.deleted' | 'workspace.expired';
}

/** A one-time code that a person read in a terminal and gave to the web console. */
export interface Confirmation {
  /** The digest of the code: `sha256:…`. */
  digest: string;
  issuedAt: number;
}

/** A decision about installed skills. */
interface Decision {
  time: number;
  actor: Actor;
  /** The code that confirmed it; absent: a key needs no confirmation. */
  confirmation?: Confirmation;
}

/** About one version of an installed skill. */
interface AboutInstall extends Decision {
  skill: { id: string; digest: string };
  /** The digest of its locked packages; absent: it has none. */
  dependencies?: string | undefined;
}

/** A version of a skill is about to be installed. Nothing of it runs as a program before it is approved. */
export interface SkillInstalled extends AboutInstall {
  kind: 'skill.installed';
  /** As typed, with the folder of the skill. */
  source: string;
  /** `commit:…` or `sha256:…` of the archive or of a server's list; `null` for a folder or file of the machine. */
  resolved: string | null;
  /** The digest that it replaces; `null`: none. */
  from: string | null;
  /** Whether it waits for approval while the approved version stays in force. */
  waits: boolean;
}

/** A version of an installed skill is about to be approved. The approval is bound to all of this. */
export interface SkillApproved extends AboutInstall {
  kind: 'skill.approved';
  tier: Tier;
  /** The skill's requests, a line each. */
  requests: readonly string[];
  /** The signer; `null`: it is not signed. */
  publisher: string | null;
  /** The key or the workflow that signed it; `null`: none. */
  identity: string | null;
  /** The digest that was approved before; `null`: none. */
  from: string | null;
  /** The review that the approval is based on; `null`: none was named. */
  review: string | null;
  /** The end of the approval, in milliseconds since the epoch. Absent: it has none. */
  until?: number | undefined;
}

/** The approval of a version has ended by itself: the skill is untrusted again. */
interface SkillExpired {
  kind: 'skill.expired';
  time: number;
  skill: { id: string; digest: string };
  /** The digest of its locked packages; absent: it has none. */
  dependencies?: string | undefined;
  /** The end of the approval, in milliseconds since the epoch. */
  until: number;
  /** The sequence of the event that approved it. */
  approved: number;
}

/** A version of a skill, or all skills of a publisher, are about to be revoked, or the revocation is taken back. */
interface SkillRevoked extends Decision {
  kind: 'skill.revoked' | 'skill.restored';
  /** A digest, or `publisher:` and a name. */
  subject: string;
  /** The installed skills that it concerns. */
  skills: readonly string[];
  reason: string | null;
}

/** An installed skill is about to be removed. */
interface SkillRemoved extends AboutInstall {
  kind: 'skill.removed';
}

/** A change of installed skills was refused as a whole, or left out skills of a source. */
interface InstallRefused extends Decision {
  kind: 'install.refused';
  /** The source, the skills or the subject, as named. */
  subject: string;
  /**
   * The first refusals. `folder` is where a skill is in the source, `null`: the whole change. `skill` is the version, if it was
   * read.
   */
  refusals: readonly {
    folder: string | null;
    code: string;
    message: string;
    skill?: AboutInstall['skill'];
  }[];
  /** The number of all refusals. */
  count: number;
}

/** Events of installed skills that a person causes. */
export type InstallEvent = SkillInstalled | SkillApproved | SkillRevoked | SkillRemoved | InstallRefused;

/** A one-time code for the web console is about to be shown to a key. */
interface ConsoleIssued {
  kind: 'console.issued';
  time: number;
  actor: Actor;
  purpose: 'sign-in' | 'confirm';
  /** The only decision that it confirms; see `decisionText`. Absent: it unlocks a session. */
  decision?: string | undefined;
  /** The digest of the code: `sha256:…`. */
  digest: string;
  expiresAt: number;
}

/** A session of the web console is about to be opened with a code. `actor` is the session. */
interface ConsoleOpened {
  kind: 'console.opened';
  time: number;
  actor: Actor;
  confirmation: Confirmation;
  scopes: readonly string[];
  expiresAt: number;
}

/** A session of the web console is about to be allowed to run skills. */
interface ConsoleUnlocked {
  kind: 'console.unlocked';
  time: number;
  actor: Actor;
  confirmation: Confirmation;
  until: number;
}

/** A session of the web console was ended before its time, by `actor`. */
interface ConsoleClosed {
  kind: 'console.closed';
  time: number;
  actor: Actor;
  session: Actor;
  reason: string;
}

/** Events outside calls. */
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
  | WorkspaceRemoved
  | InstallEvent
  | SkillExpired
  | ConsoleIssued
  | ConsoleOpened
  | ConsoleUnlocked
  | ConsoleClosed;

/** Events of a call, or of a request that was refused before it became one. */
export type CallEvent = CallStarted | CallFinished | CallDenied | CallInterrupted | RequestDenied;

/** Every event in the log. Contains only observations: a value that was not measured is `null`. */
export type AuditEvent = CallEvent | DaemonEvent;

/** Whether an event belongs to a call, or to a request that was refused before it became one. */
export function isCallEvent(event: { kind: string }): event is CallEvent {
  return 'executionId' in event;
}

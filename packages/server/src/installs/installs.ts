import type {
  ApprovalAnswer,
  InstallChanges,
  InstalledSummary,
  InstallReview,
  RevocationAnswer,
} from '@ambit/api';
import type { Actor, Confirmation } from '@ambit/core/audit';

/** The actor that requests a change, and the signal that cancels it. */
export interface Requester {
  actor: Actor;
  /** The confirmation of the change, for its event; absent: the requester needs none. */
  confirmation?: Confirmation | undefined;
  signal: AbortSignal;
  /** Gets a line about what is being done. */
  onProgress?(text: string): void;
}

/** A request to add the skills of a source. */
export interface AddRequest {
  /** As typed; see `parseSource`. */
  source: string;
  /** Absent: made from the source. */
  namespace?: string | undefined;
  /** Only these skills of the source, by name; absent: all. */
  skills?: readonly string[] | undefined;
  /** Whether the source may be an absolute path of this machine. */
  allowsPaths: boolean;
}

/** A skill to approve. `digest` or `review`, if given, must be of the version that `review` shows. */
export interface VersionToApprove {
  id: string;
  digest?: string | undefined;
  review?: string | undefined;
}

/** The terms of an approval. */
export interface ApprovalTerms {
  /** Absent: the publisher's, or `verified`. */
  tier?: 'local' | 'verified' | undefined;
  /** When it ends by itself, ISO 8601 in UTC. Absent: never. */
  until?: string | undefined;
}

/**
 * Installed skills: what the lock file lists, what is stored of it, and what the operator decided. Every change is recorded
 * in the audit log before it is made. Methods reject with a `Refusal` or a `SkillError`.
 */
export interface Installs {
  list(): Promise<readonly InstalledSummary[]>;
  /** Fetches, reads and installs skills. Runs nothing of them. */
  add(request: AddRequest, requester: Requester): Promise<InstallChanges>;
  review(id: string): Promise<InstallReview>;
  /** Approves the version that `review` shows. */
  approve(request: VersionToApprove & ApprovalTerms, requester: Requester): Promise<ApprovalAnswer>;
  /** Approves several skills in one change: all of them, or none. */
  approveAll(
    request: { skills: readonly VersionToApprove[] } & ApprovalTerms,
    requester: Requester,
  ): Promise<readonly ApprovalAnswer[]>;
  /** Lists the changes that `update` would make. Without ids: for all skills. */
  outdated(ids: readonly string[], requester: Requester): Promise<InstallChanges>;
  update(ids: readonly string[], requester: Requester): Promise<InstallChanges>;
  /** Revokes the installed versions of a skill, a digest, or a publisher. Ends their running calls. */
  revoke(subject: string, reason: string | null, requester: Requester): Promise<RevocationAnswer>;
  /** Takes back the revocation of the installed versions of a skill, a digest, or a publisher. */
  restore(subject: string, requester: Requester): Promise<RevocationAnswer>;
  /**
   * Locks the packages of an installed skill again: what it declares, what was added before, and `add`. A changed lock of an
   * approved skill waits for approval.
   */
  lockPackages(change: { id: string; add: readonly string[] }, requester: Requester): Promise<InstallChanges>;
  remove(ids: readonly string[], requester: Requester): Promise<InstallChanges>;
  /** Fetches versions that the lock file lists and that are missing or damaged. Never changes the lock file. */
  sync(options: { frozen: boolean }, requester: Requester): Promise<InstallChanges>;
}

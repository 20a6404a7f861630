import type { Actor, Confirmation } from '@ambit/core/audit';
import type {
  ApprovalAnswer,
  InstallChanges,
  InstalledSummary,
  InstallReview,
  RevocationAnswer,
} from '../wire/answer/installs.ts';

/** Who asks for a change, and until when. */
export interface Asker {
  actor: Actor;
  /** What confirmed the change, for its event; absent: the asker needs no confirmation. */
  confirmation?: Confirmation | undefined;
  signal: AbortSignal;
  /** Gets a line about what is being done. */
  onProgress?(text: string): void;
}

/** What to add. */
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
  list(): Promise<InstalledSummary[]>;
  /** Fetches, reads and installs skills. Runs nothing of them. */
  add(request: AddRequest, asker: Asker): Promise<InstallChanges>;
  review(id: string): Promise<InstallReview>;
  /** Approves the version that `review` shows. */
  approve(request: VersionToApprove & ApprovalTerms, asker: Asker): Promise<ApprovalAnswer>;
  /** Approves several skills in one change: all of them, or none. */
  approveAll(
    request: { skills: readonly VersionToApprove[] } & ApprovalTerms,
    asker: Asker,
  ): Promise<ApprovalAnswer[]>;
  /** What `update` would change. Without ids: all. */
  outdated(ids: readonly string[], asker: Asker): Promise<InstallChanges>;
  update(ids: readonly string[], asker: Asker): Promise<InstallChanges>;
  /** Revokes the installed versions of a skill, a digest, or a publisher. Ends their running calls. */
  revoke(subject: string, reason: string | null, asker: Asker): Promise<RevocationAnswer>;
  /** Takes back the revocation of the installed versions of a skill, a digest, or a publisher. */
  restore(subject: string, asker: Asker): Promise<RevocationAnswer>;
  /**
   * Locks the packages of an installed skill again: what it declares, what was added before, and `add`. A changed lock of an
   * approved skill waits for approval.
   */
  lockPackages(request: { id: string; add: readonly string[] }, asker: Asker): Promise<InstallChanges>;
  remove(ids: readonly string[], asker: Asker): Promise<InstallChanges>;
  /** Fetches versions that the lock file lists and that are missing or damaged. Never changes the lock file. */
  sync(options: { frozen: boolean }, asker: Asker): Promise<InstallChanges>;
}

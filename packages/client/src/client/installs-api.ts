import type {
  AddInstall,
  Approval,
  ApproveInstall,
  ApproveInstalls,
  InstallChanges,
  InstalledSkill,
  InstallReview,
  LockPackages,
  Revocation,
} from '../api/names.ts';
import type { Caller } from '../request/caller.ts';
import type { RequestOptions } from '../request/end-of.ts';

/** Installed skills. Changes need a key with the scope `approve`. Changes have no timeout by default. */
export interface InstallsApi {
  list(options?: RequestOptions): Promise<readonly InstalledSkill[]>;
  /** What a person needs to decide about a skill. */
  review(id: string, options?: RequestOptions): Promise<InstallReview>;
  /** Fetches and installs the skills of a source. Runs none of their code. */
  add(request: AddInstall, options?: RequestOptions): Promise<InstallChanges>;
  /** Approves the version with a digest. */
  approve(id: string, request: ApproveInstall, options?: RequestOptions): Promise<Approval>;
  /** Approves versions of several skills in one change: all of them, or none. */
  approveAll(request: ApproveInstalls, options?: RequestOptions): Promise<readonly Approval[]>;
  /** What `update` would change. Without ids: all skills. */
  outdated(ids?: readonly string[], options?: RequestOptions): Promise<InstallChanges>;
  update(ids?: readonly string[], options?: RequestOptions): Promise<InstallChanges>;
  /** Refuses a skill, a digest or `publisher:NAME` from now on, and ends its running calls. */
  revoke(subject: string, reason?: string | null, options?: RequestOptions): Promise<Revocation>;
  /** Takes a revocation back. */
  restore(subject: string, options?: RequestOptions): Promise<Revocation>;
  /** Locks the packages of a skill anew, with those in `add`. */
  lockPackages(id: string, request?: LockPackages, options?: RequestOptions): Promise<InstallChanges>;
  remove(ids: readonly string[], options?: RequestOptions): Promise<InstallChanges>;
  /** Fetches versions that are missing or damaged; with `frozen` only checks. */
  sync(request?: { frozen?: boolean }, options?: RequestOptions): Promise<InstallChanges>;
}

/** The API of installed skills. `caller` sends its requests. */
export function installsApi({ get, transport, within }: Caller): InstallsApi {
  // Not safe to repeat: the first attempt may have made the change.
  const once = (options: RequestOptions = {}) => ({ ...within(options), isRepeatable: false });
  return {
    list: async (options) => (await get('listInstalled', {}, options)).skills,
    review: (id, options) => get('reviewInstalled', { path: { id } }, options),
    add: (body, options) => transport.json('addInstalled', { body }, once(options)),
    approve: (id, body, options) => transport.json('approveInstalled', { path: { id }, body }, once(options)),
    approveAll: async (body, options) =>
      (await transport.json('approveAllInstalled', { body }, once(options))).approvals,
    outdated: (skills = [], options) => transport.json('checkInstalled', { body: { skills } }, once(options)),
    update: (skills = [], options) => transport.json('updateInstalled', { body: { skills } }, once(options)),
    revoke: (subject, reason = null, options) =>
      transport.json('revokeInstalled', { body: { subject, reason } }, once(options)),
    restore: (subject, options) => transport.json('restoreInstalled', { body: { subject } }, once(options)),
    lockPackages: (id, body = {}, options) =>
      transport.json('lockInstalledPackages', { path: { id }, body }, once(options)),
    remove: (skills, options) => transport.json('removeInstalled', { body: { skills } }, once(options)),
    sync: (body = {}, options) => transport.json('syncInstalled', { body }, once(options)),
  };
}

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
import type { AnswerOf, OperationId } from '../api/operation.ts';
import type { Caller } from '../request/caller.ts';
import type { RequestOptions } from '../request/end-of.ts';
import type { RequestInput } from '../request/request-input.ts';

/** Options for a change. */
export interface ChangeOptions extends RequestOptions {
  /** For the page of the web console: a code that confirms the change. A key needs none. */
  confirmation?: string | undefined;
}

/** Installed skills. Changes need a key with the scope `approve`. Changes have no timeout by default. */
export interface InstallsApi {
  list(options?: RequestOptions): Promise<readonly InstalledSkill[]>;
  /** Returns the facts by which a person decides about a skill. */
  review(id: string, options?: RequestOptions): Promise<InstallReview>;
  /** Fetches and installs the skills of a source. Runs none of their code. */
  add(request: AddInstall, options?: ChangeOptions): Promise<InstallChanges>;
  /** Approves the version with a digest. */
  approve(id: string, request: ApproveInstall, options?: ChangeOptions): Promise<Approval>;
  /** Approves versions of several skills in one change: all of them, or none. */
  approveAll(request: ApproveInstalls, options?: ChangeOptions): Promise<readonly Approval[]>;
  /** Returns the changes that `update` would make. Without ids: to all skills. */
  outdated(ids?: readonly string[], options?: ChangeOptions): Promise<InstallChanges>;
  update(ids?: readonly string[], options?: ChangeOptions): Promise<InstallChanges>;
  /** Refuses a skill, a digest or `publisher:NAME` from now on, and ends its running calls. */
  revoke(subject: string, reason?: string | null, options?: ChangeOptions): Promise<Revocation>;
  /** Takes a revocation back. */
  restore(subject: string, options?: ChangeOptions): Promise<Revocation>;
  /** Locks the packages of a skill anew, with those in `add`. */
  lockPackages(id: string, request?: LockPackages, options?: ChangeOptions): Promise<InstallChanges>;
  remove(ids: readonly string[], options?: ChangeOptions): Promise<InstallChanges>;
  /** Fetches versions that are missing or damaged; with `frozen` only checks. */
  sync(request?: { frozen?: boolean }, options?: ChangeOptions): Promise<InstallChanges>;
}

/** The API of installed skills. `caller` sends its requests. */
export function installsApi({ get, transport, within }: Caller): InstallsApi {
  // Not safe to repeat: the first attempt may have made the change.
  const change = <Id extends OperationId>(
    id: Id,
    given: RequestInput<Id>,
    { confirmation, ...options }: ChangeOptions = {},
  ): Promise<AnswerOf<Id>> => {
    const headers = confirmation === undefined ? {} : { 'ambit-confirmation': confirmation };
    return transport.json(id, { ...given, headers }, { ...within(options), isRepeatable: false });
  };
  return {
    list: async (options) => (await get('listInstalled', {}, options)).skills,
    review: (id, options) => get('reviewInstalled', { path: { id } }, options),
    add: (body, options) => change('addInstalled', { body }, options),
    approve: (id, body, options) => change('approveInstalled', { path: { id }, body }, options),
    approveAll: async (body, options) => (await change('approveAllInstalled', { body }, options)).approvals,
    outdated: (skills = [], options) => change('checkInstalled', { body: { skills } }, options),
    update: (skills = [], options) => change('updateInstalled', { body: { skills } }, options),
    revoke: (subject, reason = null, options) =>
      change('revokeInstalled', { body: { subject, reason } }, options),
    restore: (subject, options) => change('restoreInstalled', { body: { subject } }, options),
    lockPackages: (id, body = {}, options) =>
      change('lockInstalledPackages', { path: { id }, body }, options),
    remove: (skills, options) => change('removeInstalled', { body: { skills } }, options),
    sync: (body = {}, options) => change('syncInstalled', { body }, options),
  };
}

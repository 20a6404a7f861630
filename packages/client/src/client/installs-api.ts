import type { Caller } from '../request/caller.ts';
import type { RequestOptions } from '../request/end-of.ts';
import type { RequestInput } from '../request/request-input.ts';
import type { RequestBody, ResponseBody, ResponseField, Route } from '../request/routes.ts';

/** An installed skill. */
export type InstalledSkill = ResponseBody<'GET /installs'>['skills'][number];

/** The facts by which a person decides about an installed skill. */
export type InstallReview = ResponseBody<'GET /installs/:id'>;

/** The effect of a change on each skill. */
export type InstallChanges = ResponseBody<'POST /installs/update'>;

/** An approval and what it is bound to. */
export type Approval = ResponseBody<'POST /installs/:id/approve'>;

/** A revocation. */
export type Revocation = ResponseBody<'POST /installs/revoke'>;

/** The source and the skills to install. */
export type AddInstall = RequestBody<'POST /installs'>;

/** The version of an installed skill to approve. */
export type ApproveInstall = RequestBody<'POST /installs/:id/approve'>;

/** The versions of installed skills to approve, all or none. */
export type ApproveInstalls = RequestBody<'POST /installs/approve'>;

/** Packages to lock for an installed skill. */
export type LockPackages = RequestBody<'POST /installs/:id/packages'>;

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
  /** Approves the version whose digest is in `request`. */
  approve(id: string, request: ApproveInstall, options?: ChangeOptions): Promise<Approval>;
  /** Approves versions of several skills in one change: all of them, or none. */
  approveAll(request: ApproveInstalls, options?: ChangeOptions): Promise<readonly Approval[]>;
  /** Returns the changes that `update` would make. Without ids: to all skills. */
  outdated(ids?: readonly string[], options?: ChangeOptions): Promise<InstallChanges>;
  update(ids?: readonly string[], options?: ChangeOptions): Promise<InstallChanges>;
  /** Refuses a skill, a digest or `publisher:NAME` from now on, and ends its running calls. */
  revoke(subject: string, reason?: string | null, options?: ChangeOptions): Promise<Revocation>;
  /** Takes back a revocation. */
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
  const change = <Name extends Route>(
    route: Name,
    field: ResponseField<Name>,
    given: RequestInput<Name>,
    { confirmation, ...options }: ChangeOptions = {},
  ): Promise<ResponseBody<Name>> => {
    const headers = confirmation === undefined ? {} : { 'ambit-confirmation': confirmation };
    return transport.json(route, field, { ...given, headers }, { ...within(options), isRepeatable: false });
  };
  return {
    list: async (options) => (await get('GET /installs', 'skills', {}, options)).skills,
    review: (id, options) => get('GET /installs/:id', 'provenance', { params: { id } }, options),
    add: (body, options) => change('POST /installs', 'refused', { body }, options),
    approve: (id, body, options) =>
      change('POST /installs/:id/approve', 'sequence', { params: { id }, body }, options),
    approveAll: async (body, options) =>
      (await change('POST /installs/approve', 'approvals', { body }, options)).approvals,
    outdated: (skills = [], options) =>
      change('POST /installs/outdated', 'refused', { body: { skills } }, options),
    update: (skills = [], options) =>
      change('POST /installs/update', 'refused', { body: { skills } }, options),
    revoke: (subject, reason = null, options) =>
      change('POST /installs/revoke', 'sequence', { body: { subject, reason } }, options),
    restore: (subject, options) =>
      change('POST /installs/restore', 'sequence', { body: { subject } }, options),
    lockPackages: (id, body = {}, options) =>
      change('POST /installs/:id/packages', 'refused', { params: { id }, body }, options),
    remove: (skills, options) => change('POST /installs/remove', 'refused', { body: { skills } }, options),
    sync: (body = {}, options) => change('POST /installs/sync', 'refused', { body }, options),
  };
}

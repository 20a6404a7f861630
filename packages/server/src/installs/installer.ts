import type { ApprovalAnswer } from '@ambit/api';
import type { InstallEvent } from '@ambit/core/audit';
import { Refusal } from '../errors/refusal.ts';
import { inOrder } from '../in-order.ts';
import { readLock } from '../lock/lock-file.ts';
import { addSkills } from './add-skills.ts';
import { approveSkills } from './approve-skills.ts';
import { namesNoSkill, restoreSubject, revokeSubject } from './decide.ts';
import { readDecisions } from './decisions.ts';
import type { FetchingDeps, Installed, InstallerDeps } from './installer-deps.ts';
import type { Installs, Requester } from './installs.ts';
import { listInstalled } from './list-installed.ts';
import { recordExpired } from './record-expired.ts';
import { recordingRefusals } from './record-refusals.ts';
import { relockSkill } from './relock-skill.ts';
import { removeSkills } from './remove-skills.ts';
import { reviewSkill } from './review-skill.ts';
import { syncSkills } from './sync-skills.ts';
import { updateSkills } from './update-skills.ts';

/** Installed skills of this process. */
export interface LocalInstalls extends Installs {
  /** Records approvals that have ended by themselves, each once. */
  recordExpired(): Promise<void>;
}

/**
 * Changes installed skills, one change at a time. Sources are read one at a time too, before the change, so that decisions
 * do not wait for them. The data directory must have no other writer.
 */
export function installer(deps: InstallerDeps): LocalInstalls {
  const read = async (): Promise<Installed> => {
    const config = deps.config();
    const { lock, revision } = await (deps.shared?.read(deps) ??
      readLock(config.lockFile).then((lock) => ({ lock, revision: 0 })));
    const decisions = await readDecisions(deps.store, deps.now());
    return { config, lock, decisions, revision };
  };
  const inChangeOrder = inOrder();
  const inFetchOrder = inOrder();
  const changing: FetchingDeps['changing'] = (signal, change) =>
    inChangeOrder(async () => {
      signal.throwIfAborted();
      return change(await read());
    });
  /** A damaged lock file must not keep a version or a publisher in force. */
  const deciding = <Result>(
    subject: string,
    signal: AbortSignal,
    change: (installed: Installed) => Promise<Result>,
  ): Promise<Result> =>
    inChangeOrder(async () => {
      signal.throwIfAborted();
      return change(
        await read().catch(async (error: unknown) => {
          if (!(error instanceof Refusal) || !namesNoSkill(subject)) throw error;
          const lock = { version: 1 as const, skills: {} };
          const decisions = await readDecisions(deps.store, deps.now());
          return { config: deps.config(), lock, decisions, revision: 0 };
        }),
      );
    });
  const fetching: FetchingDeps = { ...deps, changing };
  const recording = <Result extends object>(
    subject: string,
    requester: Requester,
    change: (confirmed: FetchingDeps) => Promise<Result>,
  ): Promise<Result> => {
    const confirmed = withConfirmation(fetching, requester);
    return recordingRefusals(confirmed, subject, requester, () => change(confirmed));
  };
  const approve: Installs['approveAll'] = (request, requester) =>
    recording(request.skills.map(({ id }) => id).join(' '), requester, (confirmed) =>
      changing(requester.signal, (installed) => approveSkills(confirmed, installed, request, requester)),
    );
  return {
    list: async () => listInstalled(await read()),
    review: async (id) => reviewSkill(await read(), id),
    outdated: (ids, requester) =>
      inFetchOrder(async () => updateSkills(fetching, await read(), ids, requester, { changes: false })),
    add: (request, requester) =>
      recording(request.source, requester, (confirmed) =>
        inFetchOrder(async () => addSkills(confirmed, await read(), request, requester)),
      ),
    update: (ids, requester) =>
      recording(ids.join(' '), requester, (confirmed) =>
        inFetchOrder(async () => updateSkills(confirmed, await read(), ids, requester, { changes: true })),
      ),
    lockPackages: (request, requester) =>
      recording(request.id, requester, (confirmed) =>
        inFetchOrder(async () => relockSkill(confirmed, await read(), request, requester)),
      ),
    sync: (options, requester) =>
      recording('', requester, () =>
        inFetchOrder(async () => syncSkills(fetching, await read(), options, requester)),
      ),
    approveAll: approve,
    async approve({ tier, until, ...skill }, requester) {
      const [approval] = await approve({ skills: [skill], tier, until }, requester);
      return approval as ApprovalAnswer;
    },
    recordExpired: () => inChangeOrder(() => recordExpired(deps)),
    revoke: (subject, reason, requester) =>
      recording(subject, requester, (confirmed) =>
        deciding(subject, requester.signal, (installed) =>
          revokeSubject(confirmed, installed, { subject, reason }, requester),
        ),
      ),
    restore: (subject, requester) =>
      recording(subject, requester, (confirmed) =>
        deciding(subject, requester.signal, (installed) =>
          restoreSubject(confirmed, installed, subject, requester),
        ),
      ),
    remove: (ids, requester) =>
      recording(ids.join(' '), requester, (confirmed) =>
        changing(requester.signal, (installed) => removeSkills(confirmed, installed, ids, requester)),
      ),
  };
}

/** Records with each event of a change what confirmed it. A change by a requester has no other events. */
function withConfirmation(deps: FetchingDeps, { confirmation }: Requester): FetchingDeps {
  if (confirmation === undefined) return deps;
  return { ...deps, append: (event) => deps.append({ ...(event as InstallEvent), confirmation }) };
}

import { approvalIn, isExpired } from './decisions.ts';
import type { InstallerDeps } from './installer-deps.ts';

/** Records approvals that have ended by themselves, each once, also if several nodes of a cluster find it. */
export async function recordExpired({ store, append, now }: InstallerDeps): Promise<void> {
  const time = now();
  for (const stored of (await store.run('listDecisions')).approvals) {
    const approval = approvalIn(stored.record);
    if (approval?.until === undefined || approval.isEnded || !isExpired(approval, time)) continue;
    const next = JSON.stringify({ ...approval, isEnded: true });
    if (!(await store.run('replaceApproval', stored, next))) continue;
    const { id, digest: version } = stored;
    const [digest = version, dependencies] = version.split(' ');
    try {
      await append({
        kind: 'skill.expired',
        time,
        skill: { id, digest },
        dependencies,
        until: Date.parse(approval.until),
        approved: approval.sequence,
      });
    } catch (error) {
      // The next attempt records it.
      await store.run('replaceApproval', { ...stored, record: next }, stored.record);
      throw error;
    }
  }
}

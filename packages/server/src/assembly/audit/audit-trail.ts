import type { AuditEvent, AuditLog, CallStarted, ConfigReloaded, Policy } from '@ambit/core';
import type { OpenAuditLog } from '../../audit/open-audit-log.ts';

/** A log that also records events around calls: changed policies and changed skills. */
export interface AuditTrail {
  /** Writes `skill.changed` before the first call of a skill, and before the first call after a change of its content. */
  log: AuditLog;
  /** Records the start of a daemon, then closes the open calls of its predecessor. Resolves to their number. */
  started(daemon: { version: string }): Promise<number>;
  /**
   * Records `event` and the new policy. Earlier calls continue with their policy, which their records name. Rejects and
   * changes nothing if it cannot write.
   */
  reloaded(policy: Pick<Policy, 'digest'>, event: ConfigReloaded): Promise<void>;
  stopped(reason: string): Promise<void>;
}

/** Opens the trail of a daemon or a command. Writes `policy.changed` if the policy differs from the last one in the log. */
export async function auditTrail(
  log: AuditLog,
  { lastDigests }: Pick<OpenAuditLog, 'lastDigests'>,
  policy: Pick<Policy, 'digest'>,
  now: () => number,
): Promise<AuditTrail> {
  const known = new Map((await lastDigests()).map(({ subject, digest }) => [subject, digest]));
  /** Pending writes. Other calls of the same skill wait for them. */
  const changing = new Map<string, Promise<unknown>>();

  let current = policy;

  const noteChange = async (
    subject: string,
    digest: string,
    event: (from: string | null) => AuditEvent,
  ): Promise<void> => {
    while (changing.has(subject)) await changing.get(subject);
    const from = known.get(subject) ?? null;
    if (from === digest) return;
    const written = log.append(event(from)).then(() => known.set(subject, digest));
    const settled = written.then(
      () => changing.delete(subject),
      () => changing.delete(subject),
    );
    changing.set(subject, settled);
    await written;
  };
  const notePolicy = (): Promise<void> => {
    const { digest } = current;
    return noteChange('policy', digest, (from) => ({
      kind: 'policy.changed',
      time: now(),
      from,
      to: digest,
    }));
  };
  const noteSkill = async ({ skill, time }: CallStarted): Promise<void> => {
    if ('digest' in skill)
      await noteChange(`skill:${skill.id}`, skill.digest, (from) => ({
        kind: 'skill.changed',
        time,
        skill,
        from,
      }));
  };

  return {
    log: {
      ...log,
      async append(event, payload) {
        if (event.kind === 'call.started') {
          await notePolicy();
          await noteSkill(event);
        }
        return log.append(event, payload);
      },
    },
    async started({ version }) {
      await log.append({ kind: 'daemon.started', time: now(), version, policyDigest: policy.digest });
      const interrupted = await log.interruptOpen(now());
      await notePolicy();
      return interrupted;
    },
    async reloaded(next, event) {
      const before = current;
      // Set it before writing: a call that starts meanwhile must not record the previous policy again.
      current = next;
      try {
        await log.append(event);
        await notePolicy();
      } catch (error) {
        current = before;
        throw error;
      }
    },
    async stopped(reason) {
      await log.append({ kind: 'daemon.stopped', time: now(), reason });
    },
  };
}

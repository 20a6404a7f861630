import type { AuditEvent, AuditLog, CallStarted, ConfigReloaded, Policy } from '@ambit/core';
import type { OpenAuditLog } from '../../audit/open-audit-log.ts';

/** A log that also tells what happens around the calls: the policy that speaks, and skills that are not what they were. */
export interface AuditTrail {
  /** Writes `skill.changed` before the first call of a skill, and of every other content that it has later. */
  log: AuditLog;
  /** Writes that a daemon took the log, before it closes what one before it left open. Resolves to how many calls that were. */
  started(daemon: { version: string }): Promise<number>;
  /**
   * Another policy speaks from here on: written, as is `event`, before it resolves. Calls that came with the one before
   * keep theirs, which their records name. Rejects, with everything as it was, when it cannot be written.
   */
  reloaded(policy: Pick<Policy, 'digest'>, event: ConfigReloaded): Promise<void>;
  stopped(reason: string): Promise<void>;
}

/**
 * Begins the trail of whatever runs calls, a daemon or a single command: `policy.changed` is in the log when it is
 * another policy than the last that the log knows.
 */
export async function auditTrail(
  log: AuditLog,
  { lastDigests }: Pick<OpenAuditLog, 'lastDigests'>,
  policy: Pick<Policy, 'digest'>,
  now: () => number,
): Promise<AuditTrail> {
  const known = new Map((await lastDigests()).map(({ subject, digest }) => [subject, digest]));
  /** What is being written; whoever calls the same skill meanwhile waits for it. */
  const changing = new Map<string, Promise<unknown>>();

  let speaking = policy;

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
    const { digest } = speaking;
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
      const before = speaking;
      // Before it is written: a call that begins meanwhile must not write the one before back.
      speaking = next;
      try {
        await log.append(event);
        await notePolicy();
      } catch (error) {
        speaking = before;
        throw error;
      }
    },
    async stopped(reason) {
      await log.append({ kind: 'daemon.stopped', time: now(), reason });
    },
  };
}

import {
  type AuditEvent,
  type AuditLog,
  type AuditPosition,
  type CallStarted,
  type ConfigReloaded,
  isCallEvent,
  type RecordedPayload,
} from '@ambit/core/audit';
import type { Policy } from '@ambit/core/execute';
import { redactShapes } from '@ambit/runtime';
import type { AuditObserver } from '../../audit/audit-observer.ts';
import type { LastDigests } from '../../audit/log/writer-protocol.ts';
import type { OpenAuditLog } from '../../audit/open-audit-log.ts';

/** Writes the audit log of a daemon or a command. */
export interface Recorder {
  /**
   * Appends each event to the log, which redacts everything with the shape of a secret as it serializes it. Then notifies
   * the observers. Writes `skill.changed` before the first call of a changed skill.
   */
  log: AuditLog;
  /** Records the start of a daemon, then ends the records that an earlier daemon left open. Resolves to their number. */
  started(daemon: { version: string }): Promise<number>;
  /**
   * Records `event` and the new policy. Earlier calls continue under their policy, which their records name. If the log
   * cannot be written, rejects and the old policy stays in force.
   */
  reloaded(policy: Pick<Policy, 'digest'>, event: ConfigReloaded): Promise<void>;
  stopped(reason: string): Promise<void>;
}

/** The parts that a recorder needs besides the log. */
export interface RecorderOptions {
  policy: Pick<Policy, 'digest'>;
  /** In the order of notification. */
  observers: readonly AuditObserver[];
  now(): number;
}

/** Opens the recorder of a daemon or a command. It writes `policy.changed` if the policy differs from the last one in the log. */
export async function openRecorder(
  log: AuditLog & Pick<OpenAuditLog, 'append' | 'lastDigests'>,
  { policy, observers, now }: RecorderOptions,
): Promise<Recorder> {
  const write = observedAppend(log, observers);
  const noted = notedDigests(await log.lastDigests(), write);
  let current = policy;

  const notePolicy = (): Promise<void> => {
    const { digest } = current;
    return noted.change('policy', digest, (from) => ({
      kind: 'policy.changed',
      time: now(),
      from,
      to: digest,
    }));
  };
  const noteSkill = async ({ skill, time }: CallStarted): Promise<void> => {
    if ('digest' in skill)
      await noted.change(`skill:${skill.id}`, skill.digest, (from) => ({
        kind: 'skill.changed',
        time,
        skill,
        from,
      }));
  };

  /** Whether the log already has the policy and the skill of a call. */
  const isNoted = ({ skill }: CallStarted): boolean =>
    noted.has('policy', current.digest) &&
    (!('digest' in skill) || noted.has(`skill:${skill.id}`, skill.digest));
  /** The beginnings that wait for a change to be noted. Their ends come after them, as in the log. */
  const starting = new Map<string, Promise<unknown>>();
  const startNoted = async (
    event: CallStarted,
    payload: RecordedPayload | undefined,
  ): Promise<AuditPosition> => {
    try {
      await notePolicy();
      await noteSkill(event);
      return await write(event, payload);
    } finally {
      starting.delete(event.executionId);
    }
  };

  return {
    log: {
      ...log,
      append(event, payload, options) {
        if (event.kind === 'call.started' && !isNoted(event)) {
          const started = startNoted(event, payload);
          starting.set(event.executionId, started);
          return started;
        }
        const started = isCallEvent(event) ? starting.get(event.executionId) : undefined;
        return started === undefined
          ? write(event, payload, options)
          : started.then(() => write(event, payload, options));
      },
    },
    async started({ version }) {
      await write({ kind: 'daemon.started', time: now(), version, policyDigest: policy.digest });
      const interrupted = await log.interruptOpen(now());
      await notePolicy();
      return interrupted;
    },
    async reloaded(next, event) {
      const before = current;
      // Before the event is written: a call that starts meanwhile must not record the old policy again.
      current = next;
      try {
        await write(event);
        await notePolicy();
      } catch (error) {
        current = before;
        throw error;
      }
    },
    async stopped(reason) {
      await write({ kind: 'daemon.stopped', time: now(), reason });
    },
  };
}

/** Appends events, redacted, and notifies the observers. */
function observedAppend(
  log: Pick<OpenAuditLog, 'append'>,
  observers: readonly AuditObserver[],
): AuditLog['append'] {
  return (event, payload, options) =>
    log.append(event, payload, { ...options, redact: redactShapes }).then(
      (position) => {
        for (const observer of observers) observer.onRecorded(event);
        return position;
      },
      (error: unknown) => {
        for (const observer of observers) observer.onFailed(event);
        throw error;
      },
    );
}

/** The digests that the log has, by subject. */
interface NotedDigests {
  /** Whether the log has this digest, and no change is being written. */
  has(subject: string, digest: string): boolean;
  /** Writes the event of a change, unless the log has the digest. */
  change(subject: string, digest: string, event: (from: string | null) => AuditEvent): Promise<void>;
}

function notedDigests(last: LastDigests, write: AuditLog['append']): NotedDigests {
  const known = new Map(last.map(({ subject, digest }) => [subject, digest]));
  /** The changes that are being written, by subject; a call of the same skill waits for its change. */
  const changing = new Map<string, Promise<unknown>>();
  return {
    has: (subject, digest) => changing.size === 0 && known.get(subject) === digest,
    async change(subject, digest, event) {
      while (changing.has(subject)) await changing.get(subject);
      const from = known.get(subject) ?? null;
      if (from === digest) return;
      const written = write(event(from)).then(() => known.set(subject, digest));
      const settled = written.then(
        () => changing.delete(subject),
        () => changing.delete(subject),
      );
      changing.set(subject, settled);
      await written;
    },
  };
}

import { type HostCall, type HostCalls, hostCallsMax } from '@ambit/core/outcome';
import { hundredths } from '../steady-time.ts';
import type { HostAnswer, HostReply } from './pool/wasm-host.ts';

type Answers = (name: string, args: readonly unknown[]) => Promise<HostReply>;

/** Host functions that the host answers. */
export const inHost: ReadonlySet<string> = new Set(['context', 'progress', 'env', 'read_file', 'write_file']);
const inDaemon: ReadonlySet<string> = new Set([
  ...['state_get', 'state_set', 'recall_memory', 'http_request', 'read_file'],
]);

/** The host functions that the daemon answered in one call. */
export interface DaemonCalls {
  answer: Answers;
  /** The number of calls of each. */
  readonly counts: ReadonlyMap<string, number>;
  /** The first calls, in order of time. One without a result is not answered. */
  readonly calls: readonly (Omit<HostCall, 'durationMs' | 'result'> & Partial<HostCall>)[];
}

/** Wraps the answers to record a call's requests to the daemon. */
export function daemonCalls(answer: Answers, now: () => number): DaemonCalls {
  const counts = new Map<string, number>();
  const calls: DaemonCalls['calls'][number][] = [];
  return {
    counts,
    calls,
    answer: async (name, args) => {
      if (!inDaemon.has(name)) return answer(name, args);
      counts.set(name, (counts.get(name) ?? 0) + 1);
      if (calls.length >= hostCallsMax) return answer(name, args);
      const call: DaemonCalls['calls'][number] = { name, at: now() };
      calls.push(call);
      const reply = await answer(name, args);
      call.durationMs = hundredths(now() - call.at);
      call.result = resultOf(reply);
      return reply;
    },
  };
}

function resultOf({ frame, isRefused = false }: HostReply): HostCall['result'] {
  if (isRefused || 'violated' in frame) return 'denied';
  return 'message' in frame ? 'failed' : 'returned';
}

/**
 * The host functions that a run called, in order of time; `undefined` if it called none. The times that a host reports are
 * limited to the run, because a host can be taken over.
 */
export function hostCallsOf(
  { counts, calls }: Pick<DaemonCalls, 'counts' | 'calls'>,
  { end, durationMs }: Pick<HostAnswer, 'end' | 'durationMs'>,
  endedAt: number,
): HostCalls | undefined {
  const isReported = end.status === 'done';
  const uses = isReported ? end.done.uses : undefined;
  const seen = uses?.functions.filter(([name]) => inHost.has(name)) ?? [];
  if (isReported && counts.size + seen.length === 0) return undefined;
  const startedAt = endedAt - durationMs;
  const answered = calls.map(
    ({ name, at, durationMs: lasted = hundredths(Math.max(0, endedAt - at)), result = 'unanswered' }) => ({
      name,
      at,
      durationMs: lasted,
      result,
    }),
  );
  const reported = (uses?.calls ?? [])
    .filter(([name]) => inHost.has(name))
    .map(([name, offset, lasted, result]) => ({
      name,
      at: hundredths(startedAt + Math.min(offset, durationMs)),
      durationMs: hundredths(Math.min(lasted, durationMs)),
      result,
    }));
  const total = [...counts, ...seen].reduce((sum, [, count]) => sum + count, 0);
  const listed = [...answered, ...reported].sort((a, b) => a.at - b.at).slice(0, hostCallsMax);
  return { listed, unlisted: isReported ? Math.max(0, total - listed.length) : null };
}

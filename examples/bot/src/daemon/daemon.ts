import type { Denial, Outcome } from '@ambit/core';

/** A file that a run left in its workspace; neither `text` nor `base64` where it is left out. */
export interface AnsweredFile {
  path: string;
  change: string;
  bytes: number;
  text?: string;
  base64?: string;
}

/** What came of a call. A refusal is an answer too: the model is told of it. */
export type DaemonAnswer =
  | {
      kind: 'ran';
      outcome: Outcome;
      files?: readonly AnsweredFile[];
      /** What the run tried and was not granted. */
      denials?: readonly Denial[];
    }
  | { kind: 'refused'; code: string; detail: string; denials?: readonly Denial[] }
  | { kind: 'unreachable'; reason: string };

/** Runs tool skills. */
export interface Daemon {
  /** `body` as `POST /skills/:id/execute` takes it. Rejects only when `signal` says so. */
  execute(skillId: string, body: object, signal?: AbortSignal): Promise<DaemonAnswer>;
}

/** The daemon at `url`, called with its API key. */
export function daemonAt(url: string, key: string): Daemon {
  return {
    async execute(skillId, body, signal) {
      try {
        const response = await fetch(`${url}/skills/${encodeURIComponent(skillId)}/execute`, {
          method: 'POST',
          headers: { authorization: `Bearer ${key}`, 'content-type': 'application/json' },
          body: JSON.stringify(body),
          ...(signal === undefined ? {} : { signal }),
        });
        return answerOf(url, await response.json());
      } catch (error) {
        signal?.throwIfAborted();
        return unreachable(`nothing answers at ${url} as Ambit would (${(error as Error).message})`);
      }
    },
  };
}

function answerOf(url: string, answer: unknown): DaemonAnswer {
  if (typeof answer === 'object' && answer !== null) {
    if ('outcome' in answer) return { kind: 'ran', ...(answer as Ran) };
    if ('code' in answer && 'detail' in answer) return { kind: 'refused', ...(answer as Refused) };
  }
  return unreachable(`what answers at ${url} is not Ambit`);
}

type Ran = Omit<Extract<DaemonAnswer, { kind: 'ran' }>, 'kind'>;
type Refused = Omit<Extract<DaemonAnswer, { kind: 'refused' }>, 'kind'>;

function unreachable(reason: string): DaemonAnswer {
  return { kind: 'unreachable', reason };
}

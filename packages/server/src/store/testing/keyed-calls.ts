import { type Idempotency, idempotency, type StoreResponse } from '../../jobs/idempotency/idempotency.ts';
import { keyedCall } from '../../jobs/idempotency/keyed-call.ts';
import type { Job } from '../../jobs/job.ts';
import { jobBounds } from '../../jobs/job-bounds.ts';
import type { JobResponse } from '../../jobs/job-response.ts';
import { openJobs } from '../../jobs/jobs.ts';
import { resultOf, textOf } from '../../testing/job-responses.ts';
import { type ClaimBounds, claimBounds } from '../claim-sums.ts';
import type { Store } from '../store.ts';
import { storedClaims } from '../stored-claims.ts';

type ClaimResult = Awaited<ReturnType<Idempotency['claim']>>;

export { keyedCall } from '../../jobs/idempotency/keyed-call.ts';

const startMs = Date.UTC(2026, 0, 1);

/** A use of an idempotency key. */
export const keyUse = {
  actor: 'ada',
  route: 'POST /skills/:id/execute',
  key: 'k1',
  fingerprint: 'asked for a',
};

interface KeyedCallsOptions {
  bounds?: Partial<ClaimBounds>;
  /** Memory for responses that wait to be stored. */
  bodyBytes?: { totalMax: number; eachMax: number };
  /** Whether interrupted calls run again. */
  reruns?: boolean;
}

/** Calls with idempotency keys, stored for a second, on a clock that passes a millisecond with each call. */
export function keyedCalls(
  store: Store,
  { bounds = {}, bodyBytes = jobBounds.bodyBytes, reruns = false }: KeyedCallsOptions = {},
) {
  let [time, runs] = [startMs, 0];
  const lost: unknown[] = [];
  const jobs = openJobs({ ...jobBounds, bodyBytes }, new AbortController().signal, () => time);
  const claims = storedClaims({ store, bounds: { ...claimBounds, ...bounds } });
  const calls = idempotency({
    claims,
    retentionMs: 1000,
    now: () => time,
    hold: jobs.hold,
    onLost: (_, cause) => lost.push(cause),
  });
  return {
    claims,
    lost,
    sweep: calls.sweep,
    runs: () => runs,
    pass: (ms: number) => {
      time += ms;
    },
    claim(
      executionId: string,
      over: Partial<typeof keyUse> = {},
      run: () => Promise<JobResponse> = async () => resultOf(`"${executionId}"`),
    ): Promise<ClaimResult> {
      time += 1;
      const use = { ...keyUse, ...over };
      const begin = (respond: StoreResponse): Job => {
        runs += 1;
        const job = jobs.open({
          executionId,
          skillId: 'a',
          actor: use.actor,
          lifetime: { kind: 'detached' },
        });
        void run().then(async (response) => {
          job.finish(await respond(response));
        });
        return job;
      };
      return calls.claim(keyedCall(use, executionId), begin, async () => reruns);
    },
  };
}

/** Returns the answer to a call, with the text of its response. */
export async function answered(claimed: Promise<ClaimResult>): Promise<[ClaimResult['is'], string]> {
  const result = await claimed;
  if (result.is === 'elsewhere') return [result.is, ''];
  return [result.is, textOf(result.is === 'answered' ? result.response : await result.job.ended())];
}

/** The response of a call that ran. */
export async function endOf(claimed: Promise<ClaimResult>): Promise<JobResponse | undefined> {
  const result = await claimed;
  return result.is === 'new' ? result.job.ended() : undefined;
}

import type { Logger } from 'pino';
import type { Cluster } from '../cluster/open-cluster.ts';
import type { Config } from '../config/config.ts';
import type { AppDeps } from '../http/route/app-deps.ts';
import { idempotency } from '../jobs/idempotency/idempotency.ts';
import { jobBounds } from '../jobs/job-bounds.ts';
import { openJobs } from '../jobs/jobs.ts';
import { claimBounds } from '../store/claim-sums.ts';
import type { Store } from '../store/store.ts';
import { storedClaims } from '../store/stored-claims.ts';

const sweepMs = 10 * 60_000;

/**
 * Opens what the HTTP transport needs to run calls. Begins to remove expired responses now, and every ten minutes until
 * `shutdown`.
 */
export function daemonJobs(
  config: Config,
  store: Store,
  logger: Logger,
  shutdown: AbortSignal,
  cluster: Cluster | undefined,
): Pick<AppDeps, 'jobs' | 'idempotency'> {
  const jobs = openJobs(jobBounds, shutdown, Date.now, cluster?.held);
  const retentionMs = config.idempotency.retentionHours * 3_600_000;
  const stored = idempotency({
    claims: storedClaims({ store, bounds: claimBounds, isShared: cluster !== undefined }),
    retentionMs,
    now: cluster?.now ?? Date.now,
    hold: jobs.hold,
    holders: cluster?.holders,
    onLost: (executionId, err) =>
      logger.error({ executionId, err }, 'cannot store the response under its idempotency key'),
  });
  const sweep = async (): Promise<void> =>
    stored.sweep().catch((err: unknown) => {
      if (!shutdown.aborted) logger.error({ err }, 'cannot remove expired responses');
    });
  // Sweep even if no responses are stored any more, to remove earlier ones.
  void sweep();
  if (retentionMs === 0) return { jobs, idempotency: undefined };
  const timer = setInterval(() => void sweep(), sweepMs).unref();
  shutdown.addEventListener('abort', () => clearInterval(timer), { once: true });
  return { jobs, idempotency: stored };
}

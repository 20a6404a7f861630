import type { Logger } from 'pino';
import type { Config } from '../config/config.ts';
import type { AppDeps } from '../http/route/app-deps.ts';
import type { HeldMemory } from '../jobs/held-memory.ts';
import { openClaimFiles } from '../jobs/idempotency/claim-files.ts';
import { claimBounds } from '../jobs/idempotency/claim-sums.ts';
import { type Idempotency, idempotency } from '../jobs/idempotency/idempotency.ts';
import { jobBounds } from '../jobs/job-bounds.ts';
import { openJobs } from '../jobs/jobs.ts';
import { dataFiles } from '../setup/data-dir.ts';
import type { Store } from '../store/store.ts';

const sweepMs = 10 * 60_000;

/**
 * Opens what the HTTP transport needs to run calls. Removes expired responses now, and every ten minutes until `shutdown`.
 */
export async function daemonJobs(
  config: Config,
  _store: Store,
  logger: Logger,
  shutdown: AbortSignal,
): Promise<Pick<AppDeps, 'jobs' | 'idempotency'>> {
  const jobs = openJobs(jobBounds, shutdown, Date.now);
  return { jobs, idempotency: await openIdempotency(config, logger, shutdown, jobs) };
}

async function openIdempotency(
  config: Config,
  logger: Logger,
  shutdown: AbortSignal,
  { hold }: HeldMemory,
): Promise<Idempotency | undefined> {
  const files = await openClaimFiles(dataFiles(config).idempotency, claimBounds);
  const retentionMs = config.idempotency.retentionHours * 3_600_000;
  const stored = idempotency({
    ...{ files, retentionMs, now: Date.now, hold },
    onLost: (executionId, err) =>
      logger.error({ executionId, err }, 'cannot store the response under its idempotency key'),
  });
  const sweep = async (): Promise<void> =>
    stored.sweep().catch((err: unknown) => logger.error({ err }, 'cannot remove expired responses'));
  // Sweep even if no responses are stored any more, to remove earlier ones.
  await sweep();
  if (retentionMs === 0) return undefined;
  const timer = setInterval(() => void sweep(), sweepMs).unref();
  shutdown.addEventListener('abort', () => clearInterval(timer), { once: true });
  return stored;
}

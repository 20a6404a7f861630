import { dirname } from 'node:path';
import type { Tracing } from '@ambit/core/execute';
import type { Workspaces } from '@ambit/core/workspace';
import type { Environment } from '@ambit/runtime';
import type { FastifyBaseLogger } from 'fastify';
import type { AuditObserver } from '../../audit/audit-observer.ts';
import { indexFileOf } from '../../audit/index/sqlite/index-file.ts';
import type { OpenAuditLog } from '../../audit/open-audit-log.ts';
import type { Config } from '../../config/config.ts';
import type { RequestObserver } from '../../http/route/app-deps.ts';
import { daemonParts } from '../../metrics/daemon-parts.ts';
import { type Metrics, metrics } from '../../metrics/metrics.ts';
import { dataFiles } from '../../setup/data-dir.ts';
import type { SkillService } from '../../setup/skill-service.ts';
import type { Store } from '../../store/store.ts';
import { callLogLines } from './call-log-lines.ts';
import { openTraces } from './open-traces.ts';

/** The metrics, call log and traces of a daemon. */
export interface Observation extends Pick<Metrics, 'countedKeys' | 'measuredStore' | 'scrape' | 'cluster'> {
  /** Count and log calls by their audit events. */
  auditObservers: readonly AuditObserver[];
  /** `undefined` without tracing. */
  tracing: Tracing | undefined;
  /** Adds these parts to the metrics. `service` returns the one of the configuration in force. */
  read(service: () => SkillService, parts: { log: OpenAuditLog; workspaces: Workspaces; store: Store }): void;
  observer: RequestObserver;
  /** Sends the remaining traces. Takes at most two seconds. */
  close(): Promise<void>;
}

/** The daemon to observe. */
export interface ObservedDaemon {
  config: Pick<Config, 'dataDir' | 'telemetry'>;
  environment: Environment;
  /** Ambit's version. */
  version: string;
  logger: FastifyBaseLogger;
}

/** Monitoring requests these often, and their traces are of no interest. */
const untracedRoutes = new Set(['/healthz', '/readyz', '/metrics']);

/** Starts observing. Rejects if the variables for traces are invalid. */
export async function observeDaemon({
  config,
  environment,
  version,
  logger,
}: ObservedDaemon): Promise<Observation> {
  const measured = metrics({ version });
  const traces = await openTraces(config, { environment, version, logger });
  const open = new Set<string>();
  return {
    countedKeys: measured.countedKeys,
    measuredStore: measured.measuredStore,
    scrape: measured.scrape,
    cluster: measured.cluster,
    auditObservers: [
      measured.calls,
      callLogLines(logger, (executionId) => open.has(executionId)),
      measured.redactions((guessing) =>
        logger.warn(guessing, 'redactions look like a search for a secret; check what this key calls'),
      ),
    ],
    tracing: traces?.calls,
    read(service, { log, workspaces, store }) {
      const { audit } = dataFiles(config);
      measured.read(
        daemonParts({
          queue: () => service().deps.queue.load(),
          memory: () => service().memory.load(),
          hosts: () => service().executors.wasm.load(),
          prewarmed: () => service().executors.process.load(),
          workspaces: workspaces.load,
          store: () => store.load?.(),
          log,
          files: { log: audit, index: indexFileOf(audit), folder: dirname(audit) },
        }),
      );
    },
    observer: {
      began(request) {
        const { executionId, method, route } = request;
        open.add(executionId);
        const ended = measured.requests.began(route && `${method} ${route}`);
        const span = untracedRoutes.has(route ?? '') ? undefined : traces?.requests.began(request);
        return {
          traceId: span?.traceId,
          within: (handle) => (span === undefined ? handle() : span.within(handle)),
          ended(end) {
            open.delete(executionId);
            ended(end);
            span?.ended(end);
          },
        };
      },
    },
    close: async () => traces?.close(),
  };
}

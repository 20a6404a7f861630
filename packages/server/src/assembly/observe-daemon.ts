import { dirname } from 'node:path';
import type { Tracing, Workspaces } from '@ambit/core/internal';
import type { Environment } from '@ambit/runtime';
import type { FastifyBaseLogger } from 'fastify';
import type { AuditObserver } from '../audit/audit-observer.ts';
import { indexFileOf } from '../audit/index/indexer/index-schema.ts';
import type { OpenAuditLog } from '../audit/open-audit-log.ts';
import type { Config } from '../config/config.ts';
import type { RequestObserver } from '../http/observe-requests.ts';
import { daemonParts } from '../metrics/daemon-parts.ts';
import { type Metrics, metrics } from '../metrics/metrics.ts';
import { callLogLines } from './call-log-lines.ts';
import { dataFiles } from './data-dir.ts';
import type { DaemonCore } from './execute-deps.ts';
import { openTraces } from './open-traces.ts';

/** Whoever looks on at a daemon: what is measured of it, what its log says of calls, and where it is traced to. */
export interface Observation extends Pick<Metrics, 'countedKeys' | 'scrape'> {
  /** Count and log calls by their audit events. */
  auditObservers: readonly AuditObserver[];
  /** `undefined`: nobody asked for traces. */
  tracing: Tracing | undefined;
  /** Has scrapes read these parts too, once they are there; those of the configuration that is in force by then. */
  read(assembled: () => DaemonCore, parts: { log: OpenAuditLog; workspaces: Workspaces }): void;
  observer: RequestObserver;
  /** Sends what has been traced. Takes two seconds at most. */
  close(): Promise<void>;
}

/** Whose doings are observed. */
export interface ObservedDaemon {
  environment: Environment;
  /** Ambit's own. */
  version: string;
  logger: FastifyBaseLogger;
}

/** Asked for again and again by those who watch, and never of interest. */
const untracedRoutes = new Set(['/healthz', '/readyz', '/metrics']);

/** Begins to look on. Rejects when the variables for traces cannot be read. */
export async function observeDaemon(
  config: Pick<Config, 'dataDir' | 'telemetry'>,
  { environment, version, logger }: ObservedDaemon,
): Promise<Observation> {
  const measured = metrics({ version });
  const traces = await openTraces(config, { environment, version, logger });
  const open = new Set<string>();
  return {
    countedKeys: measured.countedKeys,
    scrape: measured.scrape,
    auditObservers: [measured.calls, callLogLines(logger, (executionId) => open.has(executionId))],
    tracing: traces?.calls,
    read(assembled, { log, workspaces }) {
      const { audit } = dataFiles(config);
      measured.read(
        daemonParts({
          queue: () => assembled().deps.queue.load(),
          hosts: () => assembled().executors.wasm.load(),
          prewarmed: () => assembled().executors.process.load(),
          workspaces: workspaces.load,
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

import { dirname } from 'node:path';
import type { AuditLog } from '@ambit/core';
import type { FastifyBaseLogger } from 'fastify';
import { indexFileOf } from '../audit/index/make/index-schema.ts';
import type { OpenAuditLog } from '../audit/open-audit-log.ts';
import type { Config } from '../config/config.ts';
import type { RequestObserver } from '../http/observe-requests.ts';
import { daemonParts } from '../metrics/daemon-parts.ts';
import { type Metrics, metrics } from '../metrics/metrics.ts';
import { dataFiles } from './data-dir.ts';
import type { Assembled } from './execute-deps.ts';
import { loggedCalls } from './logged-calls.ts';

/** Whoever looks on at a daemon: what is measured of it, and what its log says of calls. */
export interface Observation extends Pick<Metrics, 'countedKeys' | 'scrape'> {
  /** The same log, of whose calls everybody here is told. */
  observed(log: AuditLog): AuditLog;
  /** Has scrapes read these parts too, once they are there. */
  read(assembled: Assembled, log: OpenAuditLog): void;
  observer: RequestObserver;
}

/** Begins to look on. */
export function observeDaemon(
  config: Pick<Config, 'dataDir'>,
  version: string,
  logger: FastifyBaseLogger,
): Observation {
  const measured = metrics({ version });
  const open = new Set<string>();
  return {
    countedKeys: measured.countedKeys,
    scrape: measured.scrape,
    observed: (log) =>
      loggedCalls(measured.calls.counted(log), logger, (executionId) => open.has(executionId)),
    read({ deps: { queue }, executors }, log) {
      const { audit } = dataFiles(config);
      measured.read(
        daemonParts({
          queue: queue.load,
          hosts: executors.wasm.load,
          prewarmed: executors.process.load,
          log,
          files: { log: audit, index: indexFileOf(audit), folder: dirname(audit) },
        }),
      );
    },
    observer: {
      began({ executionId, method, route }) {
        open.add(executionId);
        const ended = measured.requests.began(route && `${method} ${route}`);
        return {
          traceId: undefined,
          within: (handle) => handle(),
          ended({ status, seconds }) {
            open.delete(executionId);
            ended({ status, seconds });
          },
        };
      },
    },
  };
}

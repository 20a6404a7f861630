import fc from 'fast-check';
import type { Daemon } from '../daemon-process.ts';
import { documentSchemas } from './document-schemas.ts';
import { judgeAnswer } from './judge-answer.ts';
import { type Operation, type Plan, requestsTo } from './plan-request.ts';
import type { Hints } from './schema-values.ts';
import { sender } from './send-plan.ts';

/** What came of many requests. */
export interface FuzzReport {
  requests: number;
  /** How many were answered with each status. */
  statuses: Record<string, number>;
  /** How many of each operation were answered with 2xx. */
  accepted: Record<string, number>;
  /** Connections that broke before an answer; only ever where a body was refused on its way. */
  broken: number;
  /** The first of the answers that the document does not declare, each with its request. */
  flaws: string[];
}

export interface FuzzOptions {
  requests: number;
  seed: number;
  /** By kind, the `Authorization` header of each key. */
  keys: Readonly<Record<string, string>>;
  hints: Hints;
  onProgress?: (made: number) => void;
}

const atOnce = 6;
const flawsMax = 20;
const inOneGo = 500;
/** These read the whole log, however long it has become, or wait; and these say the same to everybody. */
const seldom: readonly string[] = [
  ...['verifyAudit', 'exportRecords', 'followEvents', 'listenToMcp'],
  ...['getHealth', 'getReadiness', 'getOpenApi', 'getReference', 'elsewhere'],
];

/**
 * Makes requests of a daemon from the document that it serves, and holds each answer against that. The same seed makes the
 * same requests.
 */
export async function fuzzDaemon(daemon: Daemon, options: FuzzOptions): Promise<FuzzReport> {
  const { requests, seed, keys, hints, onProgress } = options;
  const { body: document } = await daemon.request('GET', '/openapi.json');
  const fits = documentSchemas(document);
  const plans = fc.oneof(
    ...[...operationsOf(document), ...elsewhere].map((operation) => ({
      weight: seldom.includes(operation.operationId) ? 1 : 12,
      arbitrary: requestsTo(operation, Object.keys(keys), hints),
    })),
  );
  const report: FuzzReport = { requests: 0, statuses: {}, accepted: {}, broken: 0, flaws: [] };
  const { send, close } = sender(daemon.url);

  const judge = async (plan: Plan): Promise<void> => {
    const { operation, headers, body, path, key } = plan;
    const authorization = keys[key];
    const method = operation.method.toUpperCase();
    const answer = await send(
      method,
      path,
      { ...(authorization === undefined ? {} : { authorization }), ...headers },
      body,
    );
    report.requests += 1;
    const { flaws, statuses, accepted } = report;
    const flaw = answer === undefined ? brokenOff(plan) : judgeAnswer(plan, answer, fits);
    if (answer === undefined) report.broken += 1;
    else statuses[answer.status] = (statuses[answer.status] ?? 0) + 1;
    if (answer !== undefined && answer.status < 300)
      accepted[operation.operationId] = (accepted[operation.operationId] ?? 0) + 1;
    if (flaw !== null && flaws.length < flawsMax)
      flaws.push(
        `${method} ${path.slice(0, 300)} as ${key}, ${JSON.stringify(headers).slice(0, 300)}, body ${String(body).slice(0, 300)}\n  ${flaw}`,
      );
  };

  try {
    for (let from = 0; from < requests; from += inOneGo) {
      const drawn = fc.sample(plans, { numRuns: Math.min(inOneGo, requests - from), seed: seed + from });
      const waiting = drawn.values();
      await Promise.all(
        Array.from({ length: atOnce }, async () => {
          for (const plan of waiting) await judge(plan);
        }),
      );
      onProgress?.(report.requests);
    }
  } finally {
    close();
  }
  return report;
}

/** What no route has: whatever it is, it is a refusal. */
const elsewhere = [
  ...[
    ['get', '/'],
    ['get', '/skils'],
    ['post', '//skills'],
    ['get', '/audit/a/b/c'],
    ['get', '/%zz'],
  ],
  ...[
    ['put', '/skills'],
    ['delete', '/healthz'],
    ['options', '/mcp'],
    ['patch', '/audit/{id}'],
    ['head', '/docs'],
  ],
].map(
  ([method = '', path = '']): Operation => ({
    ...{ operationId: 'elsewhere', method, path },
    parameters: path.includes('{')
      ? [{ name: 'id', in: 'path', required: true, schema: { type: 'string' } }]
      : [],
    responses: Object.fromEntries(
      [400, 401, 403, 404, 405, 413, 415, 429].map((status) => [
        status,
        { content: { 'application/problem+json': { schema: { $ref: '#/components/schemas/Problem' } } } },
      ]),
    ),
  }),
);

function operationsOf(document: { paths: Record<string, Record<string, object>> }): Operation[] {
  return Object.entries(document.paths).flatMap(([path, methods]) =>
    Object.entries(methods).map(([method, operation]) => ({ ...(operation as Operation), method, path })),
  );
}

/** Nobody waits for a body of that size to be read to its end when it is refused. */
function brokenOff({ body, headers }: Plan): string | null {
  const isLarge = body !== undefined && Buffer.byteLength(body) > 60_000;
  return isLarge || 'x-padding' in headers ? null : 'the connection broke';
}

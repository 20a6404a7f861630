import fc from 'fast-check';
import type { Daemon } from '../daemon-process.ts';
import { documentSchemas } from './document-schemas.ts';
import { judgeAnswer } from './judge-answer.ts';
import { type Operation, type Plan, requestsTo } from './plan-request.ts';
import type { Hints } from './schema-values.ts';
import { sender } from './send-plan.ts';

/** The result of many requests. */
export interface FuzzReport {
  requests: number;
  /** Number of answers by status. */
  statuses: Record<string, number>;
  /** Number of answers with 2xx by operation. */
  accepted: Record<string, number>;
  /**
   * Connections that broke before an answer, which is allowed only where a body is refused while it
   * is sent.
   */
  broken: number;
  /** The first answers that the document does not declare, each with its request. */
  flaws: string[];
}

export interface FuzzOptions {
  requests: number;
  seed: number;
  /** The `Authorization` header of each kind of key. */
  keys: Readonly<Record<string, string>>;
  hints: Hints;
  onProgress?: (made: number) => void;
}

const concurrency = 6;
const flawsMax = 20;
const batchSize = 500;
/** Rarely requested: these read the whole log, wait, or return the same to every caller. */
const rareOperations: readonly string[] = [
  ...['verifyAudit', 'exportRecords', 'followEvents', 'listenToMcp'],
  ...['getHealth', 'getReadiness', 'getOpenApi', 'getReference', 'elsewhere'],
];

/**
 * Sends requests that are generated from the daemon's OpenAPI document and checks each answer
 * against it. The same seed generates the same requests.
 */
export async function fuzzDaemon(daemon: Daemon, options: FuzzOptions): Promise<FuzzReport> {
  const { requests, seed, keys, hints, onProgress } = options;
  const { body: document } = await daemon.request('GET', '/openapi.json');
  const fits = documentSchemas(document);
  const plans = fc.oneof(
    ...[...operationsOf(document), ...unroutedOperations].map((operation) => ({
      weight: rareOperations.includes(operation.operationId) ? 1 : 12,
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
    const flaw = answer === undefined ? brokenConnection(plan) : judgeAnswer(plan, answer, fits);
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
    for (let from = 0; from < requests; from += batchSize) {
      const drawn = fc.sample(plans, { numRuns: Math.min(batchSize, requests - from), seed: seed + from });
      const waiting = drawn.values();
      await Promise.all(
        Array.from({ length: concurrency }, async () => {
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

/** Requests without a route. Every answer to them must be a refusal. */
const unroutedOperations = [
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
    operationId: 'elsewhere',
    method,
    path,
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

/** The server does not read a large refused body to its end. */
function brokenConnection({ body, headers }: Plan): string | null {
  const isLarge = body !== undefined && Buffer.byteLength(body) > 60_000;
  return isLarge || 'x-padding' in headers ? null : 'the connection broke';
}

import { Problem, problemMediaType, problemsOf } from '@ambit/api';
import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify';

/**
 * Compares every response of `app` with its route's contract. Returns the deviations: an undeclared
 * status, media type, body or problem code.
 */
export function checkAnswers(app: FastifyInstance): string[] {
  const undeclared: string[] = [];
  app.addHook('onSend', async (request, reply, payload) => {
    const flaw = request.is404 ? undefined : flawOf(request, reply, payload);
    if (flaw !== undefined) undeclared.push(`${request.method} ${request.routeOptions.url}: ${flaw}`);
  });
  return undeclared;
}

function flawOf(request: FastifyRequest, reply: FastifyReply, payload: unknown): string | undefined {
  const { contract } = request.routeOptions.config;
  if (contract === undefined) return 'the route has no contract';
  const type = String(reply.getHeader('content-type') ?? '').split(';', 1)[0] ?? '';
  if (type === problemMediaType) {
    const { code, status } = Problem.parse(JSON.parse(String(payload)));
    if (status !== reply.statusCode)
      return `the problem has status ${status}, the response ${reply.statusCode}`;
    return problemsOf(contract).includes(code) ? undefined : `undeclared code ${code}`;
  }
  // 499: the client disconnected.
  if (reply.statusCode === 499) return undefined;
  const answer = contract.answers[reply.statusCode];
  if (answer === undefined) return `undeclared status ${reply.statusCode}`;
  if (type in answer.media) return undefined;
  if (type === '') return answer.schema === undefined ? undefined : 'missing body';
  if (type !== 'application/json' || answer.schema === undefined) return `undeclared media type ${type}`;
  if (typeof payload !== 'string') return undefined;
  const body: unknown = JSON.parse(payload);
  const parsed = answer.schema.safeParse(body);
  if (!parsed.success) return JSON.stringify(parsed.error.issues).slice(0, 1000);
  // Values that the schema adds are missing from the response.
  return JSON.stringify(sorted(parsed.data)) === JSON.stringify(sorted(body))
    ? undefined
    : `missing values of the schema: ${payload.slice(0, 1000)}`;
}

function sorted(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(sorted);
  if (value === null || typeof value !== 'object') return value;
  return Object.fromEntries(
    Object.entries(value)
      .sort(([a], [b]) => (a < b ? -1 : 1))
      .map(([key, each]) => [key, sorted(each)]),
  );
}

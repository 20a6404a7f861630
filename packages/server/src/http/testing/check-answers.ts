import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify';
import { Problem, problemMediaType } from '../problem/problem.ts';
import { problemsOf } from '../route/problems.ts';

/**
 * Holds every answer of `app` against what its route's contract says, and returns what was found that it does not say:
 * a status, a media type, a body of another shape, or a problem with another code.
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
  if (contract === undefined) return 'it has no contract';
  const type = String(reply.getHeader('content-type') ?? '').split(';', 1)[0] ?? '';
  if (type === problemMediaType) {
    const { code, status } = Problem.parse(JSON.parse(String(payload)));
    if (status !== reply.statusCode) return `its problem says ${status}, and it is ${reply.statusCode}`;
    return problemsOf(contract).includes(code) ? undefined : `it does not say that it answers ${code}`;
  }
  // Nobody is there to be told anything.
  if (reply.statusCode === 499) return undefined;
  const answer = contract.answers[reply.statusCode];
  if (answer === undefined) return `it does not say that it answers ${reply.statusCode}`;
  if (type in answer.media) return undefined;
  if (type === '') return answer.schema === undefined ? undefined : 'it has no body';
  if (type !== 'application/json' || answer.schema === undefined) return `it does not say that it is ${type}`;
  if (typeof payload !== 'string') return undefined;
  const body: unknown = JSON.parse(payload);
  const parsed = answer.schema.safeParse(body);
  if (!parsed.success) return JSON.stringify(parsed.error.issues).slice(0, 1000);
  // What a schema would put in is what the answer lacks.
  return JSON.stringify(sorted(parsed.data)) === JSON.stringify(sorted(body))
    ? undefined
    : `it lacks what its schema has: ${payload.slice(0, 1000)}`;
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

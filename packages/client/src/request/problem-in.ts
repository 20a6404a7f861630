import type { AmbitError } from '../failure/ambit-error.ts';
import { notAmbit } from '../failure/ambit-error.ts';
import { AmbitProblem, type Problem } from '../failure/ambit-problem.ts';
import { textOf } from './body-of.ts';
import type { FetchResponse } from './fetch.ts';

/**
 * The error in an unsuccessful response: the daemon's problem, or that the server is not Ambit.
 * Rejects like `fetch` if the response is truncated.
 */
export async function problemIn(
  response: FetchResponse,
  bytesMax: number,
): Promise<AmbitProblem | AmbitError> {
  const { status, url } = response;
  const body = parsed(await textOf(response, bytesMax));
  if (!isProblem(body)) return notAmbit(`${url} with ${status}`);
  const seconds = body.retryAfterSeconds ?? waitIn(response.headers.get('retry-after'));
  // The actual status counts. The body could contain any.
  const problem = { ...body, status };
  if (seconds !== undefined) problem.retryAfterSeconds = seconds;
  return new AmbitProblem(problem);
}

function parsed(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}

/** Whether a value is a refusal of the daemon. */
export function isProblem(body: unknown): body is Problem {
  if (typeof body !== 'object' || body === null) return false;
  return (
    'code' in body && typeof body.code === 'string' && 'detail' in body && typeof body.detail === 'string'
  );
}

/** In seconds; the daemon never sends a date. */
function waitIn(header: string | null): number | undefined {
  return header !== null && /^\d{1,9}$/.test(header) ? Number(header) : undefined;
}

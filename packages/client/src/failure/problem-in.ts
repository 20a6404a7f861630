import type { Problem } from '../api/names.ts';
import { AmbitError } from './ambit-error.ts';
import { AmbitProblem } from './ambit-problem.ts';

/** What an answer that is no success says, as what is thrown: the daemon's problem, or that this is no daemon. */
export async function problemIn(response: Response): Promise<AmbitProblem | AmbitError> {
  const { status, url } = response;
  const said = await jsonIn(response);
  if (!isProblem(said)) {
    return new AmbitError(
      'NOT_AMBIT',
      `what answers at ${url} with ${status} is not Ambit: check the address`,
    );
  }
  const seconds = said.retryAfterSeconds ?? waitIn(response.headers.get('retry-after'));
  // The status that came counts: that in the body could say anything.
  return new AmbitProblem({
    ...said,
    status,
    ...(seconds === undefined ? {} : { retryAfterSeconds: seconds }),
  });
}

async function jsonIn(response: Response): Promise<unknown> {
  try {
    return await response.json();
  } catch {
    return undefined;
  }
}

function isProblem(said: unknown): said is Problem {
  if (typeof said !== 'object' || said === null) return false;
  const { code, detail } = said as Partial<Problem>;
  return typeof code === 'string' && typeof detail === 'string';
}

/** In seconds; the daemon never writes a date. */
function waitIn(header: string | null): number | undefined {
  return header !== null && /^\d{1,9}$/.test(header) ? Number(header) : undefined;
}

import type { Problem } from '../api/names.ts';
import { textOf } from '../request/body-of.ts';
import type { AmbitError } from './ambit-error.ts';
import { AmbitProblem } from './ambit-problem.ts';
import { notAmbit } from './not-ambit.ts';

/**
 * What an answer that is no success says, as what is thrown: the daemon's problem, or that this is no daemon. Rejects as `fetch`
 * does where the answer breaks off.
 */
export async function problemIn(response: Response, bytesMax: number): Promise<AmbitProblem | AmbitError> {
  const { status, url } = response;
  const said = parsed(await textOf(response, bytesMax));
  if (!isProblem(said)) return notAmbit(`${url} with ${status}`);
  const seconds = said.retryAfterSeconds ?? waitIn(response.headers.get('retry-after'));
  // The status that came counts: that in the body could say anything.
  return new AmbitProblem({
    ...said,
    status,
    ...(seconds === undefined ? {} : { retryAfterSeconds: seconds }),
  });
}

function parsed(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}

/** Whether what was said is a refusal of the daemon's. */
export function isProblem(said: unknown): said is Problem {
  if (typeof said !== 'object' || said === null) return false;
  const { code, detail } = said as Partial<Problem>;
  return typeof code === 'string' && typeof detail === 'string';
}

/** In seconds; the daemon never writes a date. */
function waitIn(header: string | null): number | undefined {
  return header !== null && /^\d{1,9}$/.test(header) ? Number(header) : undefined;
}

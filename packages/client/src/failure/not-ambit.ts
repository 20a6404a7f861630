import { AmbitError } from './ambit-error.ts';

/**
 * The error for a response at `place`, an address, that no daemon sends; `cause` is what was
 * thrown.
 */
export function notAmbit(place: string, options: { cause?: unknown } = {}): AmbitError {
  return new AmbitError('NOT_AMBIT', `the server at ${place} is not Ambit: check the address`, options);
}

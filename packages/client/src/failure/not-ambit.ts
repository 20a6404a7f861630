import { AmbitError } from './ambit-error.ts';

/** Whoever answers at `place`, an address, says what no daemon does; `cause` is what was thrown over it. */
export function notAmbit(place: string, options: { cause?: unknown } = {}): AmbitError {
  return new AmbitError('NOT_AMBIT', `the server at ${place} is not Ambit: check the address`, options);
}

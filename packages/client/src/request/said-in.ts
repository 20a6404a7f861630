import { notAmbit } from '../failure/not-ambit.ts';

/** The JSON that was said at `place`: an object, as all that a daemon says. Throws `NOT_AMBIT` for anything else. */
export function saidIn<Said extends object>(text: string, place: string): Said {
  let said: unknown;
  try {
    said = JSON.parse(text);
  } catch (cause) {
    throw notAmbit(place, { cause });
  }
  if (typeof said === 'object' && said !== null && !Array.isArray(said)) return said as Said;
  throw notAmbit(place);
}

import { notAmbit } from '../failure/ambit-error.ts';

/**
 * Parses the JSON from `place`: an object, like all responses of the daemon, that has `field`
 * unless it is absent. Throws `NOT_AMBIT` for anything else. The rest is as the contract says.
 */
export function parseBody<Body>(text: string, place: string, field?: string): Body {
  let value: unknown;
  try {
    value = JSON.parse(text);
  } catch (cause) {
    throw notAmbit(place, { cause });
  }
  if (isBody<Body>(value, field)) return value;
  throw notAmbit(place);
}

function isBody<Body>(value: unknown, field: string | undefined): value is Body {
  if (typeof value !== 'object' || value === null || Array.isArray(value)) return false;
  return field === undefined || Object.hasOwn(value, field);
}

import { notAmbit } from '../failure/ambit-error.ts';

/**
 * Parses the JSON from `place`: an object, like all responses of the daemon, with at least the
 * `fields`, separated by blanks. Throws `NOT_AMBIT` for anything else.
 */
export function parseBody<Body extends object>(text: string, place: string, fields = ''): Body {
  let value: unknown;
  try {
    value = JSON.parse(text);
  } catch (cause) {
    throw notAmbit(place, { cause });
  }
  if (isObject(value) && fields.split(' ').every((field) => field === '' || Object.hasOwn(value, field)))
    return value as Body;
  throw notAmbit(place);
}

function isObject(value: unknown): value is object {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}

import { notAmbit } from '../failure/not-ambit.ts';

/**
 * The JSON that was said at `place`: an object, as all that a daemon says, that has at least `fields`, with blanks between
 * them. Throws `NOT_AMBIT` for anything else.
 */
export function parseBody<Said extends object>(text: string, place: string, fields = ''): Said {
  let said: unknown;
  try {
    said = JSON.parse(text);
  } catch (cause) {
    throw notAmbit(place, { cause });
  }
  if (isObject(said) && fields.split(' ').every((field) => field === '' || Object.hasOwn(said, field)))
    return said as Said;
  throw notAmbit(place);
}

function isObject(said: unknown): said is object {
  return typeof said === 'object' && said !== null && !Array.isArray(said);
}

import { hash } from 'node:crypto';

const charactersMax = 64;

/**
 * Derives an id from a name that is not a valid one: lower case, no accents, and a hyphen for each
 * run of invalid characters. If letters of other scripts are lost, a digest of the name keeps the
 * id unique. `undefined` for a name without a letter or a digit.
 */
export function derivedId(name: string): string | undefined {
  if (!/[\p{L}\p{N}]/u.test(name)) return undefined;
  const plain = name
    .normalize('NFKD')
    .replace(/\p{M}+/gu, '')
    .toLowerCase();
  const digest = /(?![a-z0-9])[\p{L}\p{N}]/u.test(plain)
    ? hash('sha256', name.normalize('NFC')).slice(0, 8)
    : undefined;
  const words = plain
    .replace(/[^a-z0-9]+/g, '-')
    .slice(0, charactersMax - 9)
    .replace(/^-|-$/g, '');
  if (digest === undefined) return words;
  return `${words === '' ? 'skill' : words}-${digest}`;
}

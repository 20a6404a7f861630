import { z } from 'zod';

type Units = Readonly<Record<string, number>>;

const byteUnits: Units = { B: 1, KiB: 1024, MiB: 1024 ** 2, GiB: 1024 ** 3, TiB: 1024 ** 4 };
const timeUnits: Units = { ms: 1, s: 1000, m: 60_000, h: 3_600_000 };

/** A number of bytes, or text with a unit: `512MiB`. */
export function byteAmount(max?: number) {
  return amount('bytes', byteUnits, '536870912 or 512MiB', max);
}

/** A number of milliseconds, or text with a unit: `90s`, `10m`. */
export function timeAmount(max?: number) {
  return amount('milliseconds', timeUnits, '600000 or 10m', max);
}

/** A number without a unit. */
export function countAmount(max = Number.MAX_SAFE_INTEGER) {
  const message = 'write a positive whole number, such as 64';
  return z.int(message).positive(message).max(max, `the maximum is ${max}`);
}

/** A limit as a configuration has it, by its name: with the largest unit that needs no fraction. */
export function amountText(name: string, value: number): string {
  const units: Units = name.endsWith('Bytes') ? byteUnits : name.endsWith('Ms') ? timeUnits : {};
  const [unit, size] = Object.entries(units).findLast(([, each]) => value % each === 0) ?? ['', 1];
  return size === 1 ? String(value) : `${value / size}${unit}`;
}

/** The number that `text` names; `undefined` if it is none. */
function parseAmount(text: string, units: Units): number | undefined {
  const [, digits, unit = ''] = /^(\d+(?:\.\d+)?) ?([A-Za-z]*)$/.exec(text) ?? [];
  const size = unit === '' ? 1 : units[unit];
  return digits === undefined || size === undefined ? undefined : Number(digits) * size;
}

function amount(what: string, units: Units, example: string, max = Number.MAX_SAFE_INTEGER) {
  const message = `write a positive whole number of ${what}, or one with a unit (${Object.keys(units).join(', ')}), such as ${example}`;
  return z
    .union([z.number(), z.string()], message)
    .transform((value) => (typeof value === 'string' ? parseAmount(value, units) : value))
    .pipe(z.int(message).positive(message).max(max, `the maximum is ${max}`));
}

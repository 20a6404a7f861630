import { z } from 'zod';

/**
 * A whole number in a query or a header, which arrives as text. The API document declares an
 * integer, so that generated clients accept a number.
 */
export function wholeNumber(
  { from, to }: { from: number; to: number },
  messages: { form: string; range?: string },
) {
  return z
    .string()
    .regex(/^(0|[1-9]\d{0,15})$/, messages.form)
    .transform(Number)
    .refine((value) => value >= from, messages.form)
    .refine((value) => value <= to, messages.range ?? messages.form)
    .meta({ type: 'integer', minimum: from, maximum: to });
}

/** A whole number from 1 to `to` in a query; `tooMany` is the message for a larger one. */
export function count(to: number = Number.MAX_SAFE_INTEGER, tooMany?: string) {
  const form = 'must be an integer of at least 1';
  return wholeNumber({ from: 1, to }, { form, range: tooMany ?? form });
}

import { z } from 'zod';

/**
 * A whole number in a query or a header, where it arrives as text. The API document calls it an integer, because programs
 * made from the document then take a number.
 */
export function wholeNumber(
  { from, to }: { from: number; to: number },
  messages: { form: string; range?: string },
) {
  return z
    .string()
    .regex(/^(0|[1-9]\d{0,14})$/, messages.form)
    .transform(Number)
    .refine((value) => value >= from, messages.form)
    .refine((value) => value <= to, messages.range ?? messages.form)
    .meta({ type: 'integer', minimum: from, maximum: to });
}

import { z } from 'zod';

/** A JSON Schema 2020-12, which a skill brought along. */
export const JsonSchema = z.union([z.boolean(), z.record(z.string(), z.unknown())]);
export type JsonSchema = z.output<typeof JsonSchema>;

/** One place in a JSON value that a schema does not accept. */
export interface SchemaIssue {
  /** JSON pointer to the place, `''` for the whole value (RFC 6901). */
  at: string;
  /** The schema's keyword that refused it: `required`, `maxLength`, … */
  keyword: string;
  message: string;
}

/**
 * Checks a JSON value against a JSON Schema 2020-12 that a skill brought along. Schemas are somebody else's, so an
 * implementation bounds the time they may take.
 */
export interface JsonSchemaChecker {
  /**
   * The issues, none when the value is accepted. Throws `SKILL_INVALID` for a schema that cannot be used. A check
   * that has not begun when `signal` aborts is left out, for nobody waits for what it would say.
   */
  check(schema: JsonSchema, value: unknown, signal?: AbortSignal): Promise<readonly SchemaIssue[]>;
}

import { z } from 'zod';

/** A JSON Schema 2020-12, which a skill brought along. */
export const JsonSchema = z.union([z.boolean(), z.record(z.string(), z.unknown())]);
export type JsonSchema = z.output<typeof JsonSchema>;

/** A place in a JSON value that violates a schema. */
export interface SchemaIssue {
  /** JSON pointer to the place, `''` for the whole value (RFC 6901). */
  at: string;
  /** The violated keyword of the schema: `required`, `maxLength`, … */
  keyword: string;
  message: string;
}

/**
 * Checks JSON values against a skill's JSON Schema 2020-12. Schemas are untrusted, so implementations
 * limit the time of a check.
 */
export interface JsonSchemaChecker {
  /**
   * The issues, empty if the value is valid. Throws `SKILL_INVALID` for an unusable schema. Skips a check
   * that has not begun when `signal` aborts.
   */
  check(schema: JsonSchema, value: unknown, signal?: AbortSignal): Promise<readonly SchemaIssue[]>;
}

/**
 * A schema that values cannot be checked against. The message follows the schema's name: `refers to
 * …`.
 */
export class UnusableSchemaError extends Error {
  override readonly name = 'UnusableSchemaError';
}

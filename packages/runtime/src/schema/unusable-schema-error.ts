/** A schema that nothing can be checked against. The message goes on from its name: `refers to …`. */
export class UnusableSchemaError extends Error {
  override readonly name = 'UnusableSchemaError';
}

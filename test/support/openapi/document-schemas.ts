import { Ajv2020 } from 'ajv/dist/2020.js';
import formats from 'ajv-formats';

/** Checks a value against a schema of the document: the problem, or `null`. */
export type Fits = (schema: unknown, value: unknown) => string | null;

/** Creates the check for a document. It throws for an unusable schema. */
export function documentSchemas(document: { components: object }): Fits {
  const ajv = new Ajv2020({ strict: false });
  formats.default(ajv);
  ajv.addSchema({ $id: 'document', components: document.components });
  const compiled = new Map<unknown, ReturnType<typeof ajv.compile>>();
  return (schema, value) => {
    const known =
      compiled.get(schema) ??
      ajv.compile(JSON.parse(JSON.stringify(schema).replaceAll('"#/', '"document#/')));
    compiled.set(schema, known);
    return known(value) ? null : `${ajv.errorsText(known.errors)}: ${JSON.stringify(value).slice(0, 500)}`;
  };
}

import fc from 'fast-check';
import type { JsonSchemaFields } from '../../../packages/server/src/index.ts';

/**
 * Values that a schema accepts. `hints` are useful values by the name of a field or parameter, and
 * are chosen often.
 */
export function valuesOf(schema: JsonSchemaFields, hints: Hints = {}, name?: string): fc.Arbitrary<unknown> {
  const hinted = name === undefined ? undefined : hints[name];
  const plain = plainValues(schema, hints);
  return hinted === undefined ? plain : fc.oneof({ weight: 3, arbitrary: fc.constantFrom(...hinted) }, plain);
}

export type Hints = Readonly<Record<string, readonly [unknown, ...unknown[]]>>;

/** Any JSON value, including unusual ones. */
export const anyJson: fc.Arbitrary<unknown> = fc.oneof(
  fc.jsonValue({ maxDepth: 3, stringUnit: 'binary' }),
  fc.constantFrom<unknown>(null, '', 0, -1, 1e308, -0.5, [], {}, [[]], { '': 1 }, { constructor: 1 }, 'a\0b'),
  fc.constantFrom('../../etc/passwd', '%00', '‮', '🦊', 'ſ', '\ud800', '{{x}}', "' OR 1=1 --"),
);

function plainValues(schema: JsonSchemaFields, hints: Hints): fc.Arbitrary<unknown> {
  if (schema.$ref !== undefined) throw new Error(`a request schema cannot be a reference: ${schema.$ref}`);
  if ('const' in schema) return fc.constant(schema.const);
  if (schema.enum !== undefined) return fc.constantFrom(...schema.enum);
  const members = schema.anyOf ?? schema.oneOf;
  if (members !== undefined) return fc.oneof(...members.map((member) => valuesOf(member, hints)));
  switch (schema.type) {
    case 'string':
      return strings(schema);
    case 'integer':
    case 'number':
      return numbers(schema);
    case 'boolean':
      return fc.boolean();
    case 'null':
      return fc.constant(null);
    case 'array':
      return fc.array(valuesOf(schema.items ?? {}, hints), {
        minLength: schema.minItems ?? 0,
        maxLength: Math.min(schema.maxItems ?? 4, 4),
      });
    case 'object':
      return objects(schema, hints);
    default:
      return anyJson;
  }
}

function strings({ pattern, minLength = 0, maxLength = 40 }: JsonSchemaFields): fc.Arbitrary<string> {
  if (pattern !== undefined) return fc.stringMatching(new RegExp(pattern), { size: 'small' });
  const within = { minLength, maxLength: Math.min(maxLength, 40) };
  return fc.oneof(
    { weight: 10, arbitrary: fc.string(within) },
    {
      weight: 5,
      arbitrary: fc.string({ ...within, unit: 'binary' }).filter((text) => text.length <= maxLength),
    },
    { weight: 1, arbitrary: fc.constant('x'.repeat(Math.min(maxLength, 40_000))) },
  );
}

function numbers({ minimum, exclusiveMinimum, maximum }: JsonSchemaFields): fc.Arbitrary<number> {
  const min = minimum ?? (exclusiveMinimum === undefined ? -(2 ** 31) : exclusiveMinimum + 1);
  return fc.integer({ min, max: Math.min(maximum ?? Number.MAX_SAFE_INTEGER, Number.MAX_SAFE_INTEGER) });
}

function objects(
  { properties = {}, required = [], additionalProperties }: JsonSchemaFields,
  hints: Hints,
): fc.Arbitrary<unknown> {
  const known = Object.fromEntries(
    Object.entries(properties).map(([name, field]) => [name, valuesOf(field, hints, name)]),
  );
  const optional = Object.keys(properties).filter((name) => !required.includes(name));
  // A few optional fields each: with all of them, one is almost certainly refused.
  const fields = fc
    .subarray(optional, { maxLength: Math.min(optional.length, 3) })
    .chain((chosen) =>
      fc.record(Object.fromEntries([...required, ...chosen].map((name) => [name, known[name] ?? anyJson]))),
    );
  if (typeof additionalProperties !== 'object') return fields;
  const more = fc.dictionary(fc.string({ minLength: 1 }), valuesOf(additionalProperties, hints), {
    maxKeys: 3,
    noNullPrototype: true,
  });
  return fc.tuple(more, fields).map(([a, b]) => ({ ...a, ...(b as object) }));
}

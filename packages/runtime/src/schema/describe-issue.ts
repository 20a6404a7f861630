import type { SchemaIssue } from '@ambit/core/internal';

/**
 * What is wrong with a value that a keyword refuses, in words for whoever wrote the value; one sentence, but for
 * keywords that refuse several things at once. `expected` is the keyword's value as the evaluator compiled it.
 */
export function describeIssue(keyword: string, expected: unknown, value: unknown): readonly string[] {
  switch (keyword) {
    case 'type':
      return [
        `must be ${([expected].flat() as string[]).map(article).join(' or ')}, not ${article(typeOf(value))}`,
      ];
    case 'required':
      return missing(expected as readonly string[], value).map(
        (name) => `required property ${quoted(name)} is missing`,
      );
    case 'dependentRequired':
      return (expected as readonly (readonly [string, readonly string[]])[])
        .filter(([name]) => Object.hasOwn(value as object, name))
        .flatMap(([name, names]) =>
          missing(names, value).map(
            (other) => `property ${quoted(other)} is missing, which ${quoted(name)} requires`,
          ),
        );
    case 'const':
      return [`must be ${shortened(String(expected))}`];
    case 'enum':
      return [`must be one of ${shortened((expected as readonly string[]).join(', '))}`];
    case 'minimum':
      return [`must be at least ${expected}`];
    case 'maximum':
      return [`must be at most ${expected}`];
    case 'exclusiveMinimum':
      return [`must be more than ${expected}`];
    case 'exclusiveMaximum':
      return [`must be less than ${expected}`];
    case 'multipleOf':
      return [`must be a multiple of ${expected}`];
    case 'minLength':
      return [`must have at least ${counted(expected, 'character')}`];
    case 'maxLength':
      return [`must have at most ${counted(expected, 'character')}`];
    case 'minItems':
      return [`must have at least ${counted(expected, 'element')}`];
    case 'maxItems':
      return [`must have at most ${counted(expected, 'element')}`];
    case 'minProperties':
      return [`must have at least ${counted(expected, 'property', 'properties')}`];
    case 'maxProperties':
      return [`must have at most ${counted(expected, 'property', 'properties')}`];
    case 'pattern':
      return [
        `must match the pattern ${shortened(expected instanceof RegExp ? expected.source : String(expected))}`,
      ];
    case 'uniqueItems':
      return ['must not have equal elements'];
    case 'contains':
      return [`must have ${containsBounds(expected as ContainsBounds)} that fit "contains"`];
    case 'propertyNames':
      return ['has a property with a name that "propertyNames" does not allow'];
    case 'oneOf':
      return [`must fit exactly one of ${(expected as readonly unknown[]).length} alternatives`];
    case 'not':
      return ['must not fit the schema of "not"'];
    default:
      return [`does not fit ${quoted(keyword)}`];
  }
}

/** Why none of the alternatives of an `anyOf` at `at` fits; `inner` are the issues of all of them. */
export function describeAlternatives(at: string, inner: readonly SchemaIssue[]): string {
  const reasons = inner.map((issue) =>
    issue.at === at ? issue.message : `${issue.at.slice(at.length)}: ${issue.message}`,
  );
  const distinct = [...new Set(reasons)];
  const more = distinct.length > 3 ? '; …' : '';
  return distinct.length === 0
    ? 'fits no alternative'
    : `fits no alternative: ${distinct.slice(0, 3).join('; or ')}${more}`;
}

/** What is wrong with a value that may not be there at all, by the keyword that says so. */
export function describeForbidden(keyword: string, at: string): string {
  const name = at
    .slice(at.lastIndexOf('/') + 1)
    .replaceAll('~1', '/')
    .replaceAll('~0', '~');
  switch (keyword) {
    case 'additionalProperties':
    case 'unevaluatedProperties':
      return `unknown property ${quoted(name)}`;
    case 'items':
    case 'unevaluatedItems':
      return 'is one element too many';
    default:
      return 'is not allowed';
  }
}

interface ContainsBounds {
  minContains: number;
  maxContains: number;
}

function containsBounds({ minContains, maxContains }: ContainsBounds): string {
  if (maxContains === Number.MAX_SAFE_INTEGER) return `at least ${counted(minContains, 'element')}`;
  return `${minContains} to ${counted(maxContains, 'element')}`;
}

function missing(names: readonly string[], value: unknown): readonly string[] {
  return names.filter((name) => !Object.hasOwn(value as object, name));
}

function typeOf(value: unknown): string {
  if (value === null) return 'null';
  return Array.isArray(value) ? 'array' : typeof value;
}

function article(type: string): string {
  if (type === 'null') return type;
  return /^[aeiou]/.test(type) ? `an ${type}` : `a ${type}`;
}

function counted(count: unknown, one: string, many = `${one}s`): string {
  return `${count} ${count === 1 ? one : many}`;
}

function quoted(name: string): string {
  return JSON.stringify(shortened(name));
}

function shortened(text: string): string {
  return text.length > 200 ? `${text.slice(0, 199)}…` : text;
}

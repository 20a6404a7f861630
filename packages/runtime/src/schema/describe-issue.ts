import type { SchemaIssue } from '@ambit/core/json';

/**
 * Describes, for the author of the value, why a keyword refuses it. One sentence, or several for
 * keywords that report several problems. `expected` is the keyword's value as the evaluator
 * compiled it.
 */
export function describeIssue(keyword: string, expected: unknown, value: unknown): readonly string[] {
  switch (keyword) {
    case 'type':
      return [
        `must be ${([expected].flat() as string[]).map(withArticle).join(' or ')}, not ${withArticle(typeOf(value))}`,
      ];
    case 'required':
      return missing(expected as readonly string[], value).map((name) => `missing property ${quoted(name)}`);
    case 'dependentRequired':
      return (expected as readonly (readonly [string, readonly string[]])[])
        .filter(([name]) => Object.hasOwn(value as object, name))
        .flatMap(([name, names]) =>
          missing(names, value).map(
            (other) => `property ${quoted(other)} is missing, which ${quoted(name)} requires`,
          ),
        );
    case 'const':
      return [`must be ${truncate(String(expected))}`];
    case 'enum':
      return [`must be one of ${truncate((expected as readonly string[]).join(', '))}`];
    case 'minimum':
      return [`must be at least ${expected}`];
    case 'maximum':
      return [`must be at most ${expected}`];
    case 'exclusiveMinimum':
      return [`must be greater than ${expected}`];
    case 'exclusiveMaximum':
      return [`must be less than ${expected}`];
    case 'multipleOf':
      return [`must be a multiple of ${expected}`];
    case 'minLength':
      return [`must have at least ${count(expected, 'character')}`];
    case 'maxLength':
      return [`must have at most ${count(expected, 'character')}`];
    case 'minItems':
      return [`must have at least ${count(expected, 'element')}`];
    case 'maxItems':
      return [`must have at most ${count(expected, 'element')}`];
    case 'minProperties':
      return [`must have at least ${count(expected, 'property', 'properties')}`];
    case 'maxProperties':
      return [`must have at most ${count(expected, 'property', 'properties')}`];
    case 'pattern':
      return [
        `must match the pattern ${truncate(expected instanceof RegExp ? expected.source : String(expected))}`,
      ];
    case 'uniqueItems':
      return ['must not have equal elements'];
    case 'contains':
      return [`must have ${containsBounds(expected as ContainsBounds)} matching "contains"`];
    case 'propertyNames':
      return ['has a property with a name that "propertyNames" does not allow'];
    case 'oneOf':
      return [`must match exactly one of ${(expected as readonly unknown[]).length} alternatives`];
    case 'not':
      return ['must not match the schema in "not"'];
    default:
      return [`does not match ${quoted(keyword)}`];
  }
}

/**
 * Describes why a value at `at` matches no alternative of an `anyOf`; `inner` are the issues of all
 * alternatives.
 */
export function describeAlternatives(at: string, inner: readonly SchemaIssue[]): string {
  const reasons = inner.map((issue) =>
    issue.at === at ? issue.message : `${issue.at.slice(at.length)}: ${issue.message}`,
  );
  const distinct = [...new Set(reasons)];
  const more = distinct.length > 3 ? '; …' : '';
  return distinct.length === 0
    ? 'matches no alternative'
    : `matches no alternative: ${distinct.slice(0, 3).join('; or ')}${more}`;
}

/** Describes a forbidden value, by the keyword that forbids it. */
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
  if (maxContains === Number.MAX_SAFE_INTEGER) return `at least ${count(minContains, 'element')}`;
  return `${minContains} to ${count(maxContains, 'element')}`;
}

function missing(names: readonly string[], value: unknown): readonly string[] {
  return names.filter((name) => !Object.hasOwn(value as object, name));
}

function typeOf(value: unknown): string {
  if (value === null) return 'null';
  return Array.isArray(value) ? 'array' : typeof value;
}

function withArticle(type: string): string {
  if (type === 'null') return type;
  return /^[aeiou]/.test(type) ? `an ${type}` : `a ${type}`;
}

function count(number: unknown, singular: string, plural = `${singular}s`): string {
  return `${number} ${number === 1 ? singular : plural}`;
}

function quoted(name: string): string {
  return JSON.stringify(truncate(name));
}

function truncate(text: string): string {
  return text.length > 200 ? `${text.slice(0, 199)}…` : text;
}

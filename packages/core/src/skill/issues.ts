import { z } from 'zod';
import { atPlace, issueWords } from './issue-words.ts';

/** One mistake in a document: its location, and a sentence that includes the location. */
export interface DescribedIssue {
  /** For an unknown key, the last step is that key. Empty: the whole document. */
  path: readonly PropertyKey[];
  sentence: string;
}

/**
 * The mistakes in a document that a person wrote, one sentence each: where, what, and for an
 * unknown key where it belongs or the nearest known key. At most 50.
 */
export function describeIssues(error: z.ZodError, schema: z.ZodType, value: unknown): string[] {
  return locateIssues(error, schema, value).map(({ sentence }) => sentence);
}

/** The same sentences with their paths. At most 50. */
export function locateIssues(error: z.ZodError, schema: z.ZodType, value: unknown): DescribedIssue[] {
  const described: DescribedIssue[] = [];
  let root: unknown;
  for (const issue of error.issues) {
    const { path } = issue;
    const at = path.map(String).join('.');
    if (issue.code === 'unrecognized_keys') {
      root ??= z.toJSONSchema(schema, { io: 'input', unrepresentable: 'any' });
      const place = placeAt(root, path, value);
      for (const key of issue.keys.slice(0, issuesMax + 1)) {
        described.push({ path: [...path, key], sentence: unknownKey(at, key, place) });
      }
    } else {
      described.push({ path, sentence: atPlace(at === '' ? 'the document' : at, issueWords(issue, value)) });
    }
    if (described.length > issuesMax) break;
  }
  if (described.length <= issuesMax) return described;
  return [
    ...described.slice(0, issuesMax),
    { path: [], sentence: 'there are more mistakes; fix these first' },
  ];
}

/** A document can have thousands of mistakes. */
const issuesMax = 50;

/** Longer words are not typos and are slow to compare. */
const wordCharactersMax = 64;

function unknownKey(at: string, key: string, place: Place): string {
  const where = at === '' ? '' : ` in ${at}`;
  return `unknown field ${JSON.stringify(key)}${where} (${hintFor(key, place)})`;
}

function hintFor(key: string, { node, alternatives }: Place): string {
  const elsewhere = alternatives.find(({ properties }) => properties?.[key] !== undefined);
  if (elsewhere !== undefined) return `it belongs to ${literalsOf(elsewhere)}`;
  // A key that is always refused is in the schema only for the sentence that refuses it.
  const known = Object.keys(node.properties ?? {}).filter(
    (name) => node.properties?.[name]?.not === undefined,
  );
  const near = nearest(key, known);
  if (near !== undefined) return `did you mean ${near}?`;
  return known.length === 0 ? 'no fields are allowed there' : `allowed fields: ${known.join(', ')}`;
}

/** The literals that distinguish one member of a union from the others. */
function literalsOf({ properties = {} }: SchemaNode): string {
  return Object.entries(properties)
    .filter(([, property]) => property.const !== undefined)
    .map(([key, property]) => `${key} ${property.const}`)
    .join(', ');
}

/** The known word with the fewest edits, if they are few enough for a typo. */
export function nearest(word: string, known: readonly string[]): string | undefined {
  if (word.length > wordCharactersMax) return undefined;
  const ranked = known
    .map((candidate) => ({ candidate, edits: editDistance(word.toLowerCase(), candidate.toLowerCase()) }))
    .sort((a, b) => a.edits - b.edits);
  const best = ranked[0];
  return best !== undefined && best.edits <= Math.max(1, Math.floor(word.length / 3))
    ? best.candidate
    : undefined;
}

/** Edit distance in which two swapped neighboring letters are one edit, computed over three rows. */
function editDistance(a: string, b: string): number {
  let above: number[] = [];
  let row = Array.from({ length: b.length + 1 }, (_, column) => column);
  for (let i = 1; i <= a.length; i++) {
    const next = [i];
    for (let j = 1; j <= b.length; j++) {
      const substitute = (row[j - 1] ?? 0) + (a[i - 1] === b[j - 1] ? 0 : 1);
      const isSwap = i > 1 && j > 1 && a[i - 1] === b[j - 2] && a[i - 2] === b[j - 1];
      const swap = isSwap ? (above[j - 2] ?? 0) + 1 : Number.POSITIVE_INFINITY;
      next.push(Math.min(substitute, swap, (row[j] ?? 0) + 1, (next[j - 1] ?? 0) + 1));
    }
    [above, row] = [row, next];
  }
  return row[b.length] ?? 0;
}

interface SchemaNode {
  properties?: Record<string, SchemaNode>;
  additionalProperties?: SchemaNode | boolean;
  items?: SchemaNode;
  anyOf?: SchemaNode[];
  oneOf?: SchemaNode[];
  const?: unknown;
  not?: unknown;
}

/** A schema node: in a union, the member whose literals match the value, and its alternatives. */
interface Place {
  node: SchemaNode;
  alternatives: readonly SchemaNode[];
}

function placeAt(root: unknown, path: readonly PropertyKey[], document: unknown): Place {
  let place = choose(root as SchemaNode, document);
  let value = document;
  for (const step of path) {
    const { node } = place;
    value = (value as Record<PropertyKey, unknown> | null | undefined)?.[step];
    const rest = typeof node.additionalProperties === 'object' ? node.additionalProperties : {};
    place = choose(
      typeof step === 'number' ? (node.items ?? {}) : (node.properties?.[String(step)] ?? rest),
      value,
    );
  }
  return place;
}

function choose(node: SchemaNode, value: unknown): Place {
  const members = (node.oneOf ?? node.anyOf ?? []).filter((member) => member.properties !== undefined);
  const fits = (member: SchemaNode): boolean =>
    Object.entries(member.properties ?? {}).every(([key, property]) => {
      const written = (value as Record<string, unknown> | null | undefined)?.[key];
      // A literal with a default may be omitted.
      return property.const === undefined || written === undefined || property.const === written;
    });
  const chosen = members.find(fits) ?? members[0] ?? node;
  return { node: chosen, alternatives: members.filter((member) => member !== chosen) };
}

import { isDeepStrictEqual } from 'node:util';
import type { Capabilities } from '@ambit/core/execute';
import {
  Document,
  isCollection,
  isMap,
  isScalar,
  isSeq,
  parse,
  parseDocument,
  type YAMLMap,
  type YAMLSeq,
} from 'yaml';

/** Keys and indexes from the top of a document. */
type Path = readonly (string | number)[];

/** A value to add to a list, or one to set. */
type Edit = { path: Path; add: unknown } | { path: Path; set: string };

/**
 * Adds capabilities below a path of a YAML text, and leaves everything else unchanged, including
 * comments and layout. Throws for a text that is not YAML.
 */
export function addToYaml(text: string, path: Path, added: Capabilities): string {
  return editsFor(text, path, added).reduce(edited, text);
}

function editsFor(
  text: string,
  path: Path,
  { filesystem, secrets, state, memory, ...lists }: Capabilities,
): Edit[] {
  const add = (keys: Path, values: readonly unknown[]): Edit[] =>
    values.map((value) => ({ path: [...path, ...keys], add: value }));
  const set = (key: string, level: string): Edit[] =>
    level === 'none' ? [] : [{ path: [...path, key], set: level }];
  const known: unknown = valueAt(parse(text, silent), [...path, 'secrets']);
  const names = Array.isArray(known) ? known.map((each: { name?: unknown } | null) => each?.name) : [];
  return [
    ...add(['filesystem', 'read'], filesystem.read),
    ...add(['filesystem', 'write'], filesystem.write),
    ...add(['network'], lists.network),
    ...add(['env'], lists.env),
    ...secrets.flatMap((secret) => {
      const at = names.indexOf(secret.name);
      return at === -1 ? add(['secrets'], [secret]) : add(['secrets', at, 'hosts'], secret.hosts);
    }),
    ...add(['exec'], lists.exec),
    ...set('state', state),
    ...set('memory', memory),
  ];
}

/** The parser would print warnings that quote the text. */
const silent = { logLevel: 'error', prettyErrors: false } as const;

/** Inserts text if that has the intended result; otherwise the library writes the whole document again. */
function edited(text: string, edit: Edit): string {
  const before: unknown = parse(text, silent);
  const intended = withEdit(before ?? {}, edit.path, edit);
  if (isDeepStrictEqual(before, intended)) return text;
  const inserted = insert(text, edit);
  if (inserted !== undefined && isRight(inserted, intended)) return inserted;
  const document = parseDocument(text, silent);
  // Replaces a whole top-level value, because an alias in it cannot be edited in place.
  const [top = ''] = edit.path;
  document.setIn([top], document.createNode(valueAt(intended, [top])));
  try {
    const current = parseDocument(text, silent);
    if ('add' in edit) current.addIn(edit.path, current.createNode(edit.add));
    else current.setIn(edit.path, edit.set);
    const written = current.toString({ lineWidth: 0 });
    if (isRight(written, intended)) return written;
  } catch {
    // Below an alias, or in a value that is not a list.
  }
  return document.toString({ lineWidth: 0 });
}

function isRight(text: string, intended: unknown): boolean {
  try {
    return isDeepStrictEqual(parse(text, silent), intended);
  } catch {
    return false;
  }
}

function valueAt(value: unknown, path: Path): unknown {
  return path.reduce<unknown>(
    (inner, key) =>
      typeof inner === 'object' && inner !== null
        ? (inner as Record<string | number, unknown>)[key]
        : undefined,
    value,
  );
}

/** A copy of the value with the edit. */
function withEdit(value: unknown, path: Path, edit: Edit): unknown {
  const [key, ...rest] = path;
  if (key === undefined) {
    if ('set' in edit) return edit.set;
    const list = Array.isArray(value) ? value : [];
    return list.some((each) => isDeepStrictEqual(each, edit.add)) ? list : [...list, edit.add];
  }
  if (Array.isArray(value))
    return value.map((each, index) => (index === key ? withEdit(each, rest, edit) : each));
  const object = (typeof value === 'object' ? value : null) ?? {};
  return { ...object, [key]: withEdit(valueAt(object, [key]), rest, edit) };
}

/** The text with the edit at its place; `undefined` for an unusual layout. */
function insert(text: string, edit: Edit): string | undefined {
  const { contents } = parseDocument(text, silent);
  if (contents === null) {
    const start = text === '' || text.endsWith('\n') ? text : `${text}\n`;
    return `${start}${blockLines(edit.path, edit, '').join('\n')}\n`;
  }
  let node: unknown = contents;
  let depth = 0;
  for (; depth < edit.path.length && isCollection(node) && node.has(edit.path[depth]); depth += 1)
    node = node.get(edit.path[depth] as string, true);
  const rest = edit.path.slice(depth);
  if (rest.length > 0) return isMap(node) ? intoMap(text, node, rest, edit) : undefined;
  if ('add' in edit) return isSeq(node) ? intoList(text, node, edit.add) : undefined;
  if (!isScalar(node) || !node.range) return undefined;
  return `${text.slice(0, node.range[0])}${edit.set}${text.slice(node.range[1])}`;
}

function intoList(text: string, list: YAMLSeq, value: unknown): string | undefined {
  if (list.flow === true) return intoFlow(text, list, flowText(value));
  return belowLast(text, list, (indent) => [`${indent}- ${flowText(value)}`]);
}

function intoMap(text: string, map: YAMLMap, rest: Path, edit: Edit): string | undefined {
  if (map.flow === true) {
    const [key, ...inner] = rest;
    const value = withEdit(undefined, inner, edit);
    return intoFlow(text, map, `${flowText(key)}: ${flowText(value)}`);
  }
  return belowLast(text, map, (indent) => blockLines(rest, edit, indent));
}

function intoFlow(text: string, node: YAMLMap | YAMLSeq, member: string): string | undefined {
  if (!node.range) return undefined;
  const end = endOfLast(node);
  if (end !== undefined) return `${text.slice(0, end)}, ${member}${text.slice(end)}`;
  const at = node.range[0] + 1;
  const [before, after] = isMap(node) ? [' ', ' '] : ['', ''];
  return `${text.slice(0, at)}${before}${member}${after}${text.slice(at).trimStart()}`;
}

/** Adds lines below the last member of a block, at its indentation. */
function belowLast(
  text: string,
  node: YAMLMap | YAMLSeq,
  lines: (indent: string) => string[],
): string | undefined {
  const end = endOfLast(node);
  if (end === undefined || !node.range) return undefined;
  const column = node.range[0] - (text.lastIndexOf('\n', node.range[0] - 1) + 1);
  const used = text.slice(0, end).trimEnd().length;
  const [lineEnd = ''] = /^[^\r\n]*/.exec(text.slice(used)) ?? [];
  const newline = text.includes('\r\n') ? '\r\n' : '\n';
  const inserted = lines(' '.repeat(column))
    .map((line) => `${newline}${line}`)
    .join('');
  return `${text.slice(0, used)}${lineEnd}${inserted}${text.slice(used + lineEnd.length)}`;
}

function endOfLast({ items }: YAMLMap | YAMLSeq): number | undefined {
  const last: unknown = items.at(-1);
  const node =
    typeof last === 'object' && last !== null && 'value' in last && 'key' in last
      ? (last.value ?? last.key)
      : last;
  return typeof node === 'object' && node !== null && 'range' in node
    ? (node.range as [number, number, number] | undefined)?.[1]
    : undefined;
}

/** Keys on lines of their own, and a list with an item a line, so that each is one line of a diff. */
function blockLines([key, ...rest]: Path, edit: Edit, indent: string): string[] {
  const name = `${indent}${flowText(key)}:`;
  if (rest.length > 0) return [name, ...blockLines(rest, edit, `${indent}  `)];
  return 'set' in edit ? [`${name} ${edit.set}`] : [name, `${indent}  - ${flowText(edit.add)}`];
}

/** A value on one line. The library quotes its scalars. */
function flowText(value: unknown): string {
  if (Array.isArray(value)) return `[${value.map(flowText).join(', ')}]`;
  if (typeof value === 'object' && value !== null) {
    const members = Object.entries(value).filter(([, inner]) => inner !== undefined);
    return `{ ${members.map(([key, inner]) => `${flowText(key)}: ${flowText(inner)}`).join(', ')} }`;
  }
  const document = new Document([value]);
  if (isSeq(document.contents)) document.contents.flow = true;
  return document.toString({ lineWidth: 0, flowCollectionPadding: false }).trim().slice(1, -1);
}

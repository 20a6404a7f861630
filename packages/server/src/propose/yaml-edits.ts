import { isDeepStrictEqual } from 'node:util';
import type { Capabilities } from '@ambit/core/execute';
import {
  Document,
  isCollection,
  isMap,
  isNode,
  isPair,
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
type Edit = { path: Path; add: unknown } | { path: Path; set: string | number };

/** Capabilities as a file has them, and limits by their names. */
export interface GrantItems extends Capabilities {
  limits?: Readonly<Record<string, string | number>>;
}

/**
 * Adds capabilities and limits below a path of a YAML text, and leaves everything else unchanged, including
 * comments and layout. Throws for a text that is not YAML.
 */
export function addToYaml(text: string, path: Path, added: GrantItems): string {
  return editsFor(text, path, added).reduce(edited, text);
}

/**
 * Removes items below a path in the same way, with the keys that they leave empty. `missing` names the items that the text lacks.
 * `normal` makes a value of the text comparable.
 */
export function removeFromYaml(
  text: string,
  path: Path,
  removed: GrantItems,
  normal: (value: unknown) => unknown,
): { text: string; missing: string[] } {
  const missing: string[] = [];
  let left = text;
  const cut = (name: string, found: Path | undefined): void => {
    if (found === undefined) missing.push(name);
    else left = without(left, [...path, ...found]);
  };
  const listed = (keys: Path, value: unknown): Path | undefined => {
    const list: unknown = valueAt(parse(left, silent), [...path, ...keys]);
    const at = Array.isArray(list) ? list.findIndex((each) => isDeepStrictEqual(normal(each), value)) : -1;
    return at === -1 ? undefined : [...keys, at];
  };
  const { filesystem, network, env, exec, secrets, limits = {} } = removed;
  const lists = {
    'filesystem.read': filesystem.read,
    'filesystem.write': filesystem.write,
    network,
    env,
    exec,
  };
  for (const [keys, values] of Object.entries(lists))
    for (const value of values) cut(`${keys} ${flowText(value)}`, listed(keys.split('.'), value));
  for (const { name, hosts } of secrets) {
    for (const host of hosts) {
      const at = secretNames(left, path).indexOf(name);
      const found = listed(['secrets', at, 'hosts'], host);
      const known = valueAt(parse(left, silent), [...path, 'secrets', at, 'hosts']);
      const isLast = Array.isArray(known) && known.length === 1;
      cut(`secrets ${name} for ${host}`, found && isLast ? ['secrets', at] : found);
    }
  }
  for (const name of Object.keys(limits)) {
    const isSet = valueAt(parse(left, silent), [...path, 'limits', name]) !== undefined;
    cut(`limits.${name}`, isSet ? ['limits', name] : undefined);
  }
  return { text: left, missing };
}

/** Removes what is at a path, which exists, with the keys around it that this leaves empty. */
export function without(text: string, path: Path): string {
  const before: unknown = parse(text, silent);
  let cut = path;
  while (cut.length > 1 && Object.keys(valueAt(before, cut.slice(0, -1)) as object).length === 1)
    cut = cut.slice(0, -1);
  const intended = withoutValue(before, cut);
  const spliced = cutText(text, cut);
  if (spliced !== undefined && isRight(spliced, intended)) return spliced;
  const document = parseDocument(text, silent);
  try {
    document.deleteIn(cut);
    const written = document.toString({ lineWidth: 0 });
    if (isRight(written, intended)) return written;
  } catch {
    // Below an alias.
  }
  return withTop(text, cut, intended);
}

function withoutValue(value: unknown, [key, ...rest]: Path): unknown {
  if (Array.isArray(value))
    return value.flatMap((each, index) => {
      if (index !== key) return [each];
      return rest.length === 0 ? [] : [withoutValue(each, rest)];
    });
  const entries = Object.entries(value as object).flatMap(([name, inner]) => {
    if (name !== key) return [[name, inner]];
    return rest.length === 0 ? [] : [[name, withoutValue(inner, rest)]];
  });
  return Object.fromEntries(entries);
}

/** The text without the member at a path, which has others beside it; `undefined` for an unusual layout. */
function cutText(text: string, path: Path): string | undefined {
  const { contents } = parseDocument(text, silent);
  const key = path.at(-1);
  const parent =
    path.length === 1 ? contents : isCollection(contents) && contents.getIn(path.slice(0, -1), true);
  if (!isMap(parent) && !isSeq(parent)) return undefined;
  const at = isMap(parent)
    ? parent.items.findIndex((pair) => isScalar(pair.key) && pair.key.value === key)
    : Number(key);
  const [previous, member, next] = [at - 1, at, at + 1].map((index) => placeOf(parent.items[index]));
  if (member === undefined) return undefined;
  if (parent.flow === true) {
    if (next !== undefined) return `${text.slice(0, member.start)}${text.slice(next.start)}`;
    return previous && `${text.slice(0, previous.end)}${text.slice(member.end)}`;
  }
  const lineStart = text.lastIndexOf('\n', member.start - 1) + 1;
  const lineEnd = text.indexOf('\n', text.slice(0, member.end).trimEnd().length);
  return `${text.slice(0, lineStart)}${lineEnd === -1 ? '' : text.slice(lineEnd + 1)}`;
}

/** The document with another value at the top of a path, written by the library. An alias in it cannot be edited in place. */
function withTop(text: string, [top = '']: Path, intended: unknown): string {
  const document = parseDocument(text, silent);
  const value = valueAt(intended, [top]);
  if (value === undefined) document.deleteIn([top]);
  else document.setIn([top], document.createNode(value));
  return document.toString({ lineWidth: 0 });
}

function editsFor(
  text: string,
  path: Path,
  { filesystem, secrets, state, memory, limits = {}, ...lists }: GrantItems,
): Edit[] {
  const add = (keys: Path, values: readonly unknown[]): Edit[] =>
    values.map((value) => ({ path: [...path, ...keys], add: value }));
  const set = (key: string, level: string): Edit[] =>
    level === 'none' ? [] : [{ path: [...path, key], set: level }];
  const names = secretNames(text, path);
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
    ...Object.entries(limits).map(([name, value]) => ({ path: [...path, 'limits', name], set: value })),
  ];
}

/** The names of the secrets below a path, in order. */
function secretNames(text: string, path: Path): unknown[] {
  const known: unknown = valueAt(parse(text, silent), [...path, 'secrets']);
  return Array.isArray(known) ? known.map((each: { name?: unknown } | null) => each?.name) : [];
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
  try {
    const current = parseDocument(text, silent);
    if ('add' in edit) current.addIn(edit.path, current.createNode(edit.add));
    else current.setIn(edit.path, edit.set);
    const written = current.toString({ lineWidth: 0 });
    if (isRight(written, intended)) return written;
  } catch {
    // Below an alias, or in a value that is not a list.
  }
  return withTop(text, edit.path, intended);
}

function isRight(text: string, intended: unknown): boolean {
  try {
    return isDeepStrictEqual(parse(text, silent) ?? {}, intended);
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
  return `${text.slice(0, node.range[0])}${flowText(edit.set)}${text.slice(node.range[1])}`;
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
  return placeOf(items.at(-1))?.end;
}

/** The place of a member of a list or a map in the text. */
function placeOf(member: unknown): { start: number; end: number } | undefined {
  const [first, last] = isPair(member) ? [member.key, member.value ?? member.key] : [member, member];
  if (!isNode(first) || !isNode(last) || !first.range || !last.range) return undefined;
  return { start: first.range[0], end: last.range[1] };
}

/** Keys on lines of their own, and a list with an item a line, so that each is one line of a diff. */
function blockLines([key, ...rest]: Path, edit: Edit, indent: string): string[] {
  const name = `${indent}${flowText(key)}:`;
  if (rest.length > 0) return [name, ...blockLines(rest, edit, `${indent}  `)];
  return 'set' in edit ? [`${name} ${flowText(edit.set)}`] : [name, `${indent}  - ${flowText(edit.add)}`];
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

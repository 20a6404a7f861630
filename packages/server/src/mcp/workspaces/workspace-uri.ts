import { SkillError } from '@ambit/core';
import { pathProblem } from '@ambit/core/internal';

/** Part of a file, in bytes. `length` absent: as much as an answer holds. */
export interface ByteRange {
  offset: number;
  length?: number;
}

/** Every file of a workspace as a resource, and part of one. */
export const fileTemplate = 'workspace://{workspace}/{+path}';
export const rangeTemplate = `${fileTemplate}?offset={offset}&length={length}`;

/** The resource that a file of a workspace is, with the parts of its path percent-encoded. */
export function workspaceUri(id: string, path: string, range?: Required<ByteRange>): string {
  const uri = `workspace://${id}/${path.split('/').map(encodeURIComponent).join('/')}`;
  return range === undefined ? uri : `${uri}?offset=${range.offset}&length=${range.length}`;
}

/** What such a URI names; `range` is absent where it names the whole file. Throws `INPUT_INVALID`. */
export function readWorkspaceUri(uri: string): {
  id: string;
  path: string;
  range: ByteRange | undefined;
} {
  const [, id, path, query] = /^workspace:\/\/([^/?#]+)\/([^?#]+)(?:\?([^#]*))?$/.exec(uri) ?? [];
  const parts = path?.split('/').map(decoded) ?? [];
  const isPath = parts.length > 0 && parts.every((part) => part !== undefined && !part.includes('/'));
  if (id === undefined || !isPath)
    throw new SkillError('INPUT_INVALID', `${JSON.stringify(uri.slice(0, 300))} is not ${fileTemplate}`);
  return { id, path: checkedPath(parts.join('/')), range: query === undefined ? undefined : rangeOf(query) };
}

/** A path that can name a file of a workspace. Throws `INPUT_INVALID`. */
export function checkedPath(path: string): string {
  const problem = pathProblem(path);
  if (problem === undefined) return path;
  throw new SkillError('INPUT_INVALID', `${JSON.stringify(path.slice(0, 200))} ${problem}`);
}

function decoded(part: string): string | undefined {
  try {
    return decodeURIComponent(part);
  } catch {
    return undefined; // a percent sign that introduces nothing
  }
}

function rangeOf(query: string): ByteRange {
  const given = new Map(new URLSearchParams(query));
  const numbers = ['offset', 'length'].map((key) => {
    const value = given.get(key);
    given.delete(key);
    return value === undefined ? undefined : /^\d{1,12}$/.test(value) ? Number(value) : Number.NaN;
  });
  const [offset = 0, length] = numbers;
  const isRange = given.size === 0 && !numbers.some(Number.isNaN);
  if (isRange) return length === undefined ? { offset } : { offset, length };
  throw new SkillError('INPUT_INVALID', 'a range is ?offset=BYTES&length=BYTES, in whole numbers');
}

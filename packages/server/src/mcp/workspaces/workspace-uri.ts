import { SkillError } from '@ambit/core';
import { pathProblem } from '@ambit/core/workspace';

/** A byte range of a file. `length` absent: as much as fits in a response. */
export interface ByteRange {
  offset: number;
  length?: number;
}

/** URI templates for a file of a workspace, and for a range of it. */
export const fileTemplate = 'workspace://{workspace}/{+path}';
export const rangeTemplate = `${fileTemplate}?offset={offset}&length={length}`;

/** The resource URI of a file of a workspace, with each part of the path percent-encoded. */
export function workspaceUri(id: string, path: string, range?: Required<ByteRange>): string {
  const uri = `workspace://${id}/${path.split('/').map(encodeURIComponent).join('/')}`;
  return range === undefined ? uri : `${uri}?offset=${range.offset}&length=${range.length}`;
}

/** The file that such a URI names; `range` is absent for the whole file. Throws `INPUT_INVALID`. */
export function readWorkspaceUri(uri: string): {
  id: string;
  path: string;
  range: ByteRange | undefined;
} {
  const [, id, path, query] = /^workspace:\/\/([^/?#]+)\/([^?#]+)(?:\?([^#]*))?$/.exec(uri) ?? [];
  const parts = path?.split('/').map(decoded) ?? [];
  const isPath = parts.length > 0 && parts.every((part) => part !== undefined && !part.includes('/'));
  if (id === undefined || !isPath)
    throw new SkillError(
      'INPUT_INVALID',
      `${JSON.stringify(uri.slice(0, 300))} does not match ${fileTemplate}`,
    );
  return { id, path: checkedPath(parts.join('/')), range: query === undefined ? undefined : rangeOf(query) };
}

/** Checks that a path can name a file of a workspace. Throws `INPUT_INVALID`. */
export function checkedPath(path: string): string {
  const problem = pathProblem(path);
  if (problem === undefined) return path;
  throw new SkillError('INPUT_INVALID', `${JSON.stringify(path.slice(0, 200))} ${problem}`);
}

function decoded(part: string): string | undefined {
  try {
    return decodeURIComponent(part);
  } catch {
    return undefined; // an invalid percent escape
  }
}

function rangeOf(query: string): ByteRange {
  const parameters = new Map(new URLSearchParams(query));
  const numbers = ['offset', 'length'].map((key) => {
    const value = parameters.get(key);
    parameters.delete(key);
    return value === undefined ? undefined : /^\d{1,12}$/.test(value) ? Number(value) : Number.NaN;
  });
  const [offset = 0, length] = numbers;
  const isRange = parameters.size === 0 && !numbers.some(Number.isNaN);
  if (isRange) return length === undefined ? { offset } : { offset, length };
  throw new SkillError('INPUT_INVALID', 'write the range as ?offset=BYTES&length=BYTES, with whole numbers');
}

// Threat model: T333

import { expect, test } from 'vitest';
import { readWorkspaceUri, workspaceUri } from './workspace-uri.ts';

test.each(['a', 'word/[Content_Types].xml', 'ä b/100%', 'a?b#c'])(
  'the URI of %s is parsed back to the same file',
  (path) => {
    expect(readWorkspaceUri(workspaceUri('w1', path))).toEqual({ id: 'w1', path, range: undefined });
    expect(readWorkspaceUri(workspaceUri('w1', path, { offset: 3, length: 4 }))).toEqual({
      id: 'w1',
      path,
      range: { offset: 3, length: 4 },
    });
  },
);

test('a range may omit its length or offset', () => {
  expect(readWorkspaceUri('workspace://w1/a?offset=3').range).toEqual({ offset: 3 });
  expect(readWorkspaceUri('workspace://w1/a?length=3').range).toEqual({ offset: 0, length: 3 });
});

test.each([
  ['no file', 'workspace://w1/'],
  ['no workspace', 'workspace:///a'],
  ['an encoded slash', 'workspace://w1/..%2Fa'],
  ['a parent folder', 'workspace://w1/a/../../b'],
  ['a root', 'workspace://w1//etc/passwd'],
  ['a single percent sign', 'workspace://w1/%zz'],
  ['a NUL', 'workspace://w1/a%00'],
  ['another scheme', 'file:///etc/passwd'],
  ['a fragment', 'workspace://w1/a#b'],
  ['an unknown parameter', 'workspace://w1/a?offset=1&lines=2'],
  ['a negative offset', 'workspace://w1/a?offset=-1'],
  ['an offset that is not a number', 'workspace://w1/a?offset=1e3'],
])('refuses a URI with %s', (_, uri) => {
  expect(() => readWorkspaceUri(uri)).toThrow(expect.objectContaining({ code: 'INPUT_INVALID' }));
});

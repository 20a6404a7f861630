import { describe, expect, test } from 'vitest';
import { Run } from '../skill/run.ts';
import { validateRun } from './validate-run.ts';

const file = (path: string, isLink = false) => ({ path, isLink, leavesFolder: false });
const schemaless = {
  path: ['run', 'input'],
  message: 'without a schema callers cannot know what to send, and no input is checked',
};

describe('Python in WebAssembly', () => {
  const workspace = { filesystem: { write: ['workspace'] } };

  test.each([
    ['scripts/a.py', {}],
    ['bin/a', { interpreter: 'python' }],
  ])('%s with %j is valid with protocol command and a workspace', (entry, more) => {
    const run = Run.parse({ runtime: 'wasm', entry, protocol: 'command', capabilities: workspace, ...more });
    expect(validateRun(run, [file(entry)])).toEqual({ errors: [], warnings: [] });
  });

  test('is valid with protocol json and a workspace, beside links in its folder', () => {
    const run = Run.parse({ runtime: 'wasm', entry: 'a.py', capabilities: workspace });
    expect(validateRun(run, [file('a.py'), file('b.js', true)])).toEqual({
      errors: [],
      warnings: [schemaless],
    });
  });

  test('is invalid as a link', () => {
    const run = Run.parse({ runtime: 'wasm', entry: 'a.py' });
    expect(validateRun(run, [file('a.py', true)]).errors).toEqual([
      {
        path: ['run', 'entry'],
        message: 'a.py is a link, which runtime wasm does not follow; replace it with the file',
      },
    ]);
  });
});

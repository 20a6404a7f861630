import { describe, expect, test } from 'vitest';
import { isModule } from './is-module.ts';

const definition = 'def main():\n    print(1)\n\n\n';

describe('a Python file', () => {
  test.each([
    ['only defines', definition],
    [
      'imports what may be missing',
      `try:\n    import yaml\nexcept UsageError:\n    yaml = None\n${definition}`,
    ],
    ['imports and ends when that fails', `try:\n  import yaml\nexcept UsageError:\n  exit(1)\n${definition}`],
    [
      'notes what it could import',
      `try:\n    import yaml\n    FOUND = True\nexcept UsageError:\n    FOUND = False\n${definition}`,
    ],
    ['has only constants', '"""Sizes."""\nNAMES = [\n    "a",\n]\nSIZE = 3\n'],
  ])('is a module if it %s', (_, text) => {
    expect(isModule('scripts/a.py', Buffer.from(text))).toBe(true);
  });

  test.each([
    ['calls at the top level', `${definition}main()\n`],
    ['calls in a try', `${definition}try:\n    main()\nexcept OSError:\n    pass\n`],
    [
      'calls in a try, after an import',
      `${definition}try:\n\timport json\n\n\tprint(json)\nfinally:\n\tpass\n`,
    ],
    ['is guarded', `${definition}if __name__ == "__main__":\n    main()\n`],
    ['defines nothing', 'import json\n'],
    ['assigns what a call returns', 'written = print(1)\n'],
  ])('is a script if it %s', (_, text) => {
    expect(isModule('scripts/a.py', Buffer.from(text))).toBe(false);
  });
});

import { expect, test } from 'vitest';
import { addedPackages } from './added-packages.ts';

function added(...paths: readonly string[]): string[] {
  const files = paths.map((path) => ({ path, bytes: 0, sha256: '' }));
  return addedPackages([' chalk@^5 ', 'npm:@acme/one'], { files });
}

test('a plain name is a package of npm only for a skill with JavaScript and without Python', () => {
  const [npm, python] = [
    ['npm:chalk@^5', 'npm:@acme/one'],
    ['chalk@^5', 'npm:@acme/one'],
  ];
  expect(added('SKILL.md', 'scripts/run.mjs')).toEqual(npm);
  expect(added('package.json')).toEqual(npm);
  expect(added('scripts/run.ts', 'scripts/run.py')).toEqual(python);
  expect(added('package.json', 'requirements.txt')).toEqual(python);
  expect(added('scripts/run.sh')).toEqual(python);
});

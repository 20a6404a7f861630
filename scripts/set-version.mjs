// Sets the version of all packages, which move together, and of the file names in the documentation.
//
//   npm run set-version -- 0.2.0
import { execFileSync } from 'node:child_process';
import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { root } from './pack/root.mjs';

/** Pages that name the files of a release. */
const pages = [
  ...['docs/install.md', 'docs/deployment.md', 'docs/python.md', 'docs/release.md'],
  ...['packages/cli/README.md', 'packages/python/README.md'],
];

const [next = ''] = process.argv.slice(2);
const { version: current } = JSON.parse(readFileSync(join(root, 'package.json'), 'utf8'));
if (!/^\d+\.\d+\.\d+(?:-[a-z]+\.\d+)?$/.test(next)) {
  console.error(
    `"${next}" is not a version such as 0.2.0 or 0.2.0-rc.1; the version is now ${current}. Run: npm run set-version -- VERSION`,
  );
  process.exit(2);
}
const tracked = execFileSync('git', ['ls-files', '-z', 'package.json', '*/package.json'], {
  cwd: root,
  encoding: 'utf8',
});
for (const path of tracked.split('\0').filter((each) => each !== ''))
  replace(path, `\n  "version": "${current}"`, `\n  "version": "${next}"`);
for (const path of pages)
  for (const end of ['.', '_', '`'])
    for (const start of ['-', '_', '@']) replace(path, `${start}${current}${end}`, `${start}${next}${end}`);
console.log(`The version is ${next}. Write its heading in CHANGELOG.md, then run npm test.`);

/**
 * @param {string} path from the root of the repository
 * @param {string} found
 * @param {string} replacement
 */
function replace(path, found, replacement) {
  const file = join(root, path);
  const text = readFileSync(file, 'utf8');
  const replaced = text.replaceAll(found, replacement);
  if (replaced !== text) writeFileSync(file, replaced);
}

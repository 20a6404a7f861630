#!/usr/bin/env node
// The `ambit` command of the npm package. It loads nothing before it knows that this Node can run the rest.
import { createRequire } from 'node:module';
import process from 'node:process';

/** From the published package.json, such as `>=22.18`. */
const { node: required } = createRequire(import.meta.url)('../package.json').engines;
const [, lowest] = required.split('>=');
const [major = 0, minor = 0] = process.versions.node.split('.').map(Number);
const [lowestMajor, lowestMinor] = lowest.split('.').map(Number);

if (major < lowestMajor || (major === lowestMajor && minor < lowestMinor)) {
  console.error(
    `ambit needs Node ${lowest} or newer; this is Node ${process.versions.node}. Install a newer Node, and run the command again.`,
  );
  process.exitCode = 1;
} else {
  const { fileURLToPath } = await import('node:url');
  // In the package's folder: anyone who can change that can change the program too. A start takes longer where
  // it cannot be written, such as in a global installation by another user.
  // It and the bundle are made by `npm run pack`.
  const { cacheCompiled } = await import(new URL('./compile-cache.mjs', import.meta.url).href);
  cacheCompiled(fileURLToPath(new URL('../.cache/compiled', import.meta.url)));
  await import(new URL('../bundle/main.mjs', import.meta.url).href);
}

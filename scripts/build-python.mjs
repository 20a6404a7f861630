// Builds the interpreter of @ambit/python from Debian's sources: CPython for WASI, its standard library,
// and a snapshot of it after its initialization. The same sources and the same compiler give the
// same bytes; with --check, reports whether the committed files are those.
//
//   npm run build:python -- [--check] [--folder FOLDER]
//
// FOLDER is where it builds, a new temporary folder by default. It needs a Debian 12 with the
// packages that sources.json lists, and some five minutes.
import { createHash } from 'node:crypto';
import { mkdir, mkdtemp, readFile, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join, relative } from 'node:path';
import { fileURLToPath } from 'node:url';
import { parseArgs, promisify } from 'node:util';
import { brotliCompress, constants } from 'node:zlib';
import { buildLibrary } from './python/library.mjs';
import { buildReactor } from './python/reactor.mjs';
import { snapshotOf } from './python/snapshot.mjs';
import { unpackSources } from './python/sources.mjs';

const root = fileURLToPath(new URL('..', import.meta.url));
const packageFolder = join(root, 'packages', 'python');

const { values } = parseArgs({ options: { check: { type: 'boolean' }, folder: { type: 'string' } } });
const folder = values.folder ?? (await mkdtemp(join(tmpdir(), 'ambit-python-')));
await mkdir(folder, { recursive: true });

const sources = await unpackSources(packageFolder, folder);
const library = await buildLibrary(packageFolder, sources, folder);
const reactor = await buildReactor(packageFolder, sources, folder);
const snapshot = snapshotOf(reactor, library);

const files = new Map([
  ['python.wasm.br', await compressed(snapshot)],
  ['stdlib.zip.br', await compressed(library)],
]);
const digestsPath = join(root, 'packages/runtime/src/wasm/host/python/digests.mjs');
const digests = [...files].map(([name, bytes]) => `  '${name}': '${sha256(bytes)}',\n`).join('');
const digestsText = (await readFile(digestsPath, 'utf8')).replace(/= {\n.*}/s, `= {\n${digests}}`);
const written = new Map([...files].map(([name, bytes]) => [join(packageFolder, name), bytes]));
written.set(digestsPath, Buffer.from(digestsText));
let differs = false;
for (const [path, bytes] of written) {
  const isCurrent = Buffer.compare(bytes, await readFile(path).catch(() => Buffer.alloc(0))) === 0;
  differs ||= !isCurrent;
  if (!isCurrent && !values.check) await writeFile(path, bytes);
  console.log(`${relative(root, path)}: ${bytes.length} bytes, ${isCurrent ? 'current' : 'changed'}`);
}
if (differs && values.check) {
  console.error(
    'The committed interpreter is not what its sources give: run npm run build:python and commit it.',
  );
  process.exitCode = 1;
}

/** @param {Uint8Array} bytes */
function compressed(bytes) {
  const params = {
    [constants.BROTLI_PARAM_QUALITY]: constants.BROTLI_MAX_QUALITY,
    [constants.BROTLI_PARAM_LGWIN]: constants.BROTLI_MAX_WINDOW_BITS,
    [constants.BROTLI_PARAM_SIZE_HINT]: bytes.length,
  };
  return promisify(brotliCompress)(bytes, { params });
}

/** @param {Uint8Array} bytes */
function sha256(bytes) {
  return createHash('sha256').update(bytes).digest('hex');
}

// Meters the QuickJS that scripts run in, or with --check tells whether the committed module is what that gives. The
// module comes from a package whose version is pinned exactly, and metering depends on nothing but its bytes.
import { readFile, writeFile } from 'node:fs/promises';
import { createRequire } from 'node:module';
import { join, relative } from 'node:path';
import { fileURLToPath } from 'node:url';
import { meterModule } from '../packages/runtime/src/wasm/meter/meter-module.mjs';

const root = fileURLToPath(new URL('..', import.meta.url));
const runtime = join(root, 'packages', 'runtime');

/** Where the metered module is committed. */
export const quickjsPath = join(runtime, 'src', 'wasm', 'host', 'script', 'quickjs.wasm');

/**
 * Meters the module as its package has it; writes nothing. Throws when it cannot be metered.
 * @returns {Promise<Uint8Array>}
 */
export async function buildQuickjs() {
  const path = createRequire(join(runtime, 'package.json')).resolve(
    '@jitl/quickjs-wasmfile-release-sync/wasm',
  );
  const metered = meterModule(await readFile(path), { untrusted: false });
  if (metered.status === 'refused') throw new Error(`QuickJS ${metered.problem}`);
  return metered.bytes;
}

async function main() {
  const shown = relative(root, quickjsPath);
  const bytes = await buildQuickjs();
  if (Buffer.compare(bytes, await readFile(quickjsPath).catch(() => Buffer.alloc(0))) === 0) {
    console.log(`${shown} is what its package gives (${bytes.byteLength} bytes)`);
  } else if (process.argv.includes('--check')) {
    console.error(`${shown} is not what its package gives: run node scripts/build-quickjs.mjs and commit it`);
    process.exitCode = 1;
  } else {
    await writeFile(quickjsPath, bytes);
    console.log(`${shown} written (${bytes.byteLength} bytes)`);
  }
}

if (process.argv[1] === fileURLToPath(import.meta.url)) await main();

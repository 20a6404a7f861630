// Meters the QuickJS module that runs scripts. With --check, reports whether the committed module
// is current. The package's version is pinned exactly, and metering depends only on the module's
// bytes.
import { readFile, writeFile } from 'node:fs/promises';
import { createRequire } from 'node:module';
import { join, relative } from 'node:path';
import { fileURLToPath } from 'node:url';
import { meterModule } from '../packages/runtime/src/wasm/meter/meter-module.mjs';

const root = fileURLToPath(new URL('..', import.meta.url));
const runtime = join(root, 'packages', 'runtime');

/** The path at which the metered module is committed. */
export const quickjsPath = join(runtime, 'src', 'wasm', 'host', 'script', 'quickjs.wasm');

/**
 * Meters the module of the package without writing it. Throws if that fails.
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
    console.log(`${shown} is current (${bytes.byteLength} bytes)`);
  } else if (process.argv.includes('--check')) {
    console.error(`${shown} does not match its package: run node scripts/build-quickjs.mjs and commit it`);
    process.exitCode = 1;
  } else {
    await writeFile(quickjsPath, bytes);
    console.log(`${shown} written (${bytes.byteLength} bytes)`);
  }
}

if (process.argv[1] === fileURLToPath(import.meta.url)) await main();

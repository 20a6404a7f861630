import { realpathSync } from 'node:fs';
import { dirname } from 'node:path';
import { fileURLToPath } from 'node:url';

/** Where the loader of QuickJS lies on this machine: what a host process needs to have mounted to run scripts. */
export const quickjsFolder = dirname(
  realpathSync(fileURLToPath(import.meta.resolve('@jitl/quickjs-wasmfile-release-sync/emscripten-module'))),
);

import { realpathSync } from 'node:fs';
import { dirname } from 'node:path';
import { fileURLToPath } from 'node:url';

/** The folder of QuickJS's loader on this machine, which host processes mount to run scripts. */
export const quickjsFolder = dirname(
  realpathSync(fileURLToPath(import.meta.resolve('@jitl/quickjs-wasmfile-release-sync/emscripten-module'))),
);

// The entry point of the `ambit` command. The program is main.ts and its imports. A bundle of these
// sources starts faster, and compiled code is cached for the next start. Both are beside the installed
// packages of the server, which the bundle loads, so anyone who can change them can change the program too.
// Without them (in a read-only folder, or with NODE_DISABLE_COMPILE_CACHE=1) a start takes longer. This
// file is plain JavaScript, because it starts before types can be stripped.
import { fileURLToPath } from 'node:url';
import { cacheCompiled } from './compile-cache.mjs';
import { currentBundle } from './current-bundle.mjs';

cacheCompiled(fileURLToPath(new URL('../../server/node_modules/.cache/compiled', import.meta.url)));
await import(currentBundle() ?? './main.ts');

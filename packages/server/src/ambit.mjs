// What is started when somebody types `ambit`. The program is its sources, main.ts and what it imports; a bundle of just
// these starts in less time, and what is compiled is kept for the next start. Both lie beside the installed packages, where
// whoever could write to them could write the program as well. Without them, in a folder that cannot be written to or with
// NODE_DISABLE_COMPILE_CACHE=1, a start only takes longer. Plain JavaScript, so that nothing that strips types has to be there.
import { enableCompileCache } from 'node:module';
import { fileURLToPath } from 'node:url';
import { currentBundle } from './current-bundle.mjs';

enableCompileCache(fileURLToPath(new URL('../node_modules/.cache/compiled', import.meta.url)));
await import(currentBundle() ?? './main.ts');

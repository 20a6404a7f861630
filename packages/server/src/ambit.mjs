// What is started when somebody types `ambit`. Types are stripped and modules compiled once, and what comes of that is
// kept beside the installed packages, where whoever could write to it could write the program as well. A folder that
// cannot be written to, or NODE_DISABLE_COMPILE_CACHE=1, only means a slower start. Plain
// JavaScript, so that nothing that strips types has to be there.
import { enableCompileCache } from 'node:module';
import { fileURLToPath } from 'node:url';

enableCompileCache(fileURLToPath(new URL('../node_modules/.cache/compiled', import.meta.url)));
await import('./main.ts');

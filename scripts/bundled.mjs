// Facts about bundles, without the packages that make them, which take long to load.

export { bundlesFolder, currentBundle } from '../packages/cli/src/current-bundle.mjs';

/** The arguments of a `new URL` with which a module locates its thread's program; the group is the name. */
export const threadProgram =
  /`\.\/([a-z]+-program)\$\{import\.meta\.url\.slice\(import\.meta\.url\.lastIndexOf\('\.'\)\)\}`,\s+import\.meta\.url,/;

/** The arguments of a `new URL` with which a module locates its thread's program; the group is the name. */
export const threadProgram =
  /`\.\/([a-z]+-program)\$\{import\.meta\.url\.slice\(import\.meta\.url\.lastIndexOf\('\.'\)\)\}`,\s+import\.meta\.url,/;

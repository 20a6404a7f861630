/** A plug-in exceeded its limit of Extism memory. */
export class OutOfMemory extends Error {}

/** A plug-in exceeded its limit of Extism memory, or Python was refused memory. */
export class OutOfMemory extends Error {}

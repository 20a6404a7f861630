/** A plug-in wanted more of Extism's memory than its call may have. */
export class OutOfMemory extends Error {}

/** A module cannot be metered. The message continues a sentence that begins with its name. */
export class Refusal extends Error {}

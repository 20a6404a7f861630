/** A module cannot be metered; the message goes on from its name. */
export class Refusal extends Error {}

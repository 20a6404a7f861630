/** A skill asked a host function for what its call was not granted: that ends the call, whatever the skill does. */
export class CapabilityViolated extends Error {
  /**
   * @param {string} capability which one was missing
   * @param {string} detail what was asked for
   */
  constructor(capability, detail) {
    super(`${capability}: ${detail}`);
    this.capability = capability;
    this.detail = detail;
  }
}

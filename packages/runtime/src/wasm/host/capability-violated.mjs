const detailCharactersMax = 1000;

/** A skill asked a host function for what its call was not granted: that ends the call, whatever the skill does. */
export class CapabilityViolated extends Error {
  /**
   * @param {string} capability which one was missing
   * @param {string} detail what was asked for, which the skill has chosen: it is cut
   */
  constructor(capability, detail) {
    super(`${capability}: ${detail.slice(0, detailCharactersMax)}`);
    this.capability = capability;
    this.detail = detail.slice(0, detailCharactersMax);
  }
}

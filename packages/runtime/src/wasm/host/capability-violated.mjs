const charactersMax = 1000;

/** A skill asked a host function for what its call was not granted: that ends the call, whatever the skill does. */
export class CapabilityViolated extends Error {
  /**
   * @param {string} capability which one was missing
   * @param {string} detail what was asked for, in words; the skill has chosen some of them: it is cut
   * @param {string} [item] what was asked for, as a grant would name it
   */
  constructor(capability, detail, item) {
    super(`${capability}: ${detail.slice(0, charactersMax)}`);
    this.capability = capability;
    this.detail = detail.slice(0, charactersMax);
    this.item = item === undefined || item.length > charactersMax ? undefined : item;
  }
}

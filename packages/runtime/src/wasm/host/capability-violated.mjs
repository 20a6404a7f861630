const charactersMax = 1000;

/**
 * A skill used a host function without the capability for it. That ends the call, even if the skill
 * catches the error.
 */
export class CapabilityViolated extends Error {
  /**
   * @param {string} capability the missing one
   * @param {string} detail the request in words, shortened: the skill wrote parts of it
   * @param {string} [item] the request, as a grant would name it
   */
  constructor(capability, detail, item) {
    super(`${capability}: ${detail.slice(0, charactersMax)}`);
    this.capability = capability;
    this.detail = detail.slice(0, charactersMax);
    this.item = item === undefined || item.length > charactersMax ? undefined : item;
  }
}

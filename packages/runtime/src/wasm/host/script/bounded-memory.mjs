export const pageBytes = 64 * 1024;

/**
 * Emscripten asks for a fifth more than it needs, then a tenth, then a twentieth, and then gives
 * up.
 */
const attemptsOfOneRequest = 3;

/**
 * A memory that records whether growth was refused: a script can catch the resulting error, but it
 * has used up its memory.
 */
export class BoundedMemory extends WebAssembly.Memory {
  #refusedInARow = 0;
  #exhausted = false;

  get exhausted() {
    return this.#exhausted;
  }

  /**
   * @override
   * @param {number} pages
   */
  grow(pages) {
    try {
      const before = super.grow(pages);
      this.#refusedInARow = 0;
      return before;
    } catch (error) {
      this.#refusedInARow += 1;
      if (this.#refusedInARow === attemptsOfOneRequest) this.#exhausted = true;
      throw error;
    }
  }
}

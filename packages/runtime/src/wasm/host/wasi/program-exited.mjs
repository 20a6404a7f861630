/** A program called `proc_exit`. */
export class ProgramExited extends Error {
  /** @param {number} exitCode */
  constructor(exitCode) {
    super(`exited with ${exitCode}`);
    this.exitCode = exitCode;
  }
}

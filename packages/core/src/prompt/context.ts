/** Context gathered for a prompt. */
export interface GatheredContext {
  /**
   * `text` of a folder is its listing. `note` explains a missing text of a binary or too large
   * file.
   */
  files: readonly { path: string; text: string; note?: string }[];
  /** `null`: not requested. Empty: clean. */
  gitStatus: string | null;
  /** `null`: not requested, or none exists. */
  item: unknown | null;
  artifacts: readonly { path: string; text: string; note?: string }[];
  errors: readonly { source: string; message: string }[];
}

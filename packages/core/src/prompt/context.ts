/** What was gathered for a prompt. */
export interface GatheredContext {
  /** A folder: its listing as text. Binary or too large: `note` says so. */
  files: readonly { path: string; text: string; note?: string }[];
  /** `null`: nobody asked; empty: clean. */
  gitStatus: string | null;
  /** `null`: nobody asked, or there is none. */
  item: unknown | null;
  artifacts: readonly { path: string; text: string; note?: string }[];
  errors: readonly { source: string; message: string }[];
}

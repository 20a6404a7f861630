/** What was gathered for a prompt. */
export interface GatheredContext {
  files: readonly { path: string; text: string; note?: string }[]; // a folder: its listing as text; binary or too large: note
  gitStatus: string | null; // null: nobody asked; '': clean
  item: unknown | null; // null: nobody asked, or there is none
  artifacts: readonly { path: string; text: string; note?: string }[];
  errors: readonly { source: string; message: string }[];
}

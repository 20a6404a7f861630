import type { Sidecar } from '../skill/sidecar.ts';
import { type Language, languageOf } from './script/language.ts';

/** One file of a skill to inspect. */
export interface InspectedFile {
  /** Relative to the skill's folder, with forward slashes. */
  path: string;
  bytes: number;
  /** Absent for a link and for a file beyond the bounds. */
  content?: Uint8Array;
  /** The target of a symbolic link. */
  link?: string;
}

/** A skill to inspect. A skill that cannot be loaded has no `sidecar` and no `allowedTools`. */
export interface InspectedSkill {
  /** Its id, or the name of its folder. */
  id: string;
  files: readonly InspectedFile[];
  /** Paths of hidden files and folders, which are not part of the skill. */
  hidden: readonly string[];
  sidecar?: Sidecar | undefined;
  /** `allowed-tools` of its frontmatter. */
  allowedTools?: readonly string[] | undefined;
  /** `metadata` of its frontmatter. */
  metadata?: Readonly<Record<string, string>> | undefined;
  /** The ids of the other skills that are configured. */
  otherIds?: readonly string[];
}

/** The functions that inspection needs from outside core. */
export interface InspectionPorts {
  /** The positions of strings that are certainly secrets, such as tokens with a known prefix. */
  secretsIn(text: string): readonly { index: number; length: number }[];
  /** The text without anything that looks like a secret. */
  redact(text: string): string;
  /** Whether this machine has a program. Absent: unknown. */
  hasProgram?(name: string): boolean;
}

/** The bounds of what is read of one skill. Everything else is a finding. */
export const inspectionBounds = { bytes: 16 * 1024 * 1024, files: 512 };

/** A file that is text, as the rules read it. */
export interface TextFile {
  path: string;
  text: string;
  /** `undefined`: not a program. */
  language: Language | undefined;
  isMarkdown: boolean;
}

/** The text of a file; `undefined` if it is not UTF-8 or contains NUL. */
export function textFileOf({ path, content }: InspectedFile): TextFile | undefined {
  if (content === undefined || content.includes(0)) return undefined;
  let text: string;
  try {
    text = new TextDecoder('utf-8', { fatal: true }).decode(content);
  } catch {
    return undefined;
  }
  return { path, text, language: languageOf(path, text), isMarkdown: /\.(md|mdx|markdown)$/i.test(path) };
}

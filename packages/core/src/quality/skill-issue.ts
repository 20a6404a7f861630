/** One mistake in a skill's folder. */
export interface SkillIssue {
  /** Relative to the folder; `null`: the folder itself. */
  file: string | null;
  /** Starting at 1; `null` for the whole file. */
  line: number | null;
  /** One sentence: which field, what is wrong, what to do. */
  message: string;
}

/** A mistake in the `run` of a sidecar. */
export interface RunIssue {
  /** From the top of the document: `['run', 'entry']`. */
  path: readonly string[];
  message: string;
}

/** `SKILL.md:4: description: …`, a format that compilers write and editors link. */
export function issueText({ file, line, message }: SkillIssue): string {
  return [file, line, ` ${message}`]
    .filter((part) => part !== null)
    .join(':')
    .trimStart();
}

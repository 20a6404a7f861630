/** One mistake in a skill's folder. */
export interface SkillIssue {
  /** Relative to the folder; `null`: the folder itself. */
  file: string | null;
  /** Counted from 1; `null` where no line is meant. */
  line: number | null;
  /** One sentence: which field, what is wrong, what to do. */
  message: string;
}

/** A mistake in what a sidecar says of running. */
export interface RunIssue {
  /** From the document's top: `['run', 'entry']`. */
  path: readonly string[];
  message: string;
}

/** `SKILL.md:4: description: …`, as compilers write it and editors jump to. */
export function issueText({ file, line, message }: SkillIssue): string {
  return [file, line, ` ${message}`]
    .filter((part) => part !== null)
    .join(':')
    .trimStart();
}

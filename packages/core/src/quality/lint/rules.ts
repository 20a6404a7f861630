/**
 * The severity of a finding: a `warning` costs users something, `advice` makes a good skill
 * better.
 */
type LintSeverity = 'warning' | 'advice';

/**
 * Every rule by its stable id, as explained in docs/quality.md.
 *
 * @internal Exported for the test that compares it with that page.
 */
export const lintRules = {
  unreadable: 'warning',
  'description-when': 'warning',
  'description-person': 'advice',
  'description-vague': 'advice',
  'metadata-tokens': 'advice',
  'body-empty': 'warning',
  'body-lines': 'warning',
  'body-tokens': 'warning',
  'headings-missing': 'advice',
  'heading-skip': 'advice',
  'fence-open': 'warning',
  'link-dead': 'warning',
  'link-outside': 'warning',
  'file-unmentioned': 'advice',
  placeholder: 'warning',
  'host-path': 'warning',
  'input-undescribed': 'advice',
  'example-missing': 'advice',
  'version-missing': 'advice',
} as const satisfies Record<string, LintSeverity>;
export type LintRule = keyof typeof lintRules;

/** A possible improvement. */
export interface LintFinding {
  rule: LintRule;
  severity: LintSeverity;
  /** Relative to the skill's folder. */
  file: string;
  /** Starting at 1; `null` for the whole file. */
  line: number | null;
  /** One sentence: what it is and what to do. */
  message: string;
}

/** A finding with the severity of its rule. */
export function finding(rule: LintRule, file: string, line: number | null, message: string): LintFinding {
  return { rule, severity: lintRules[rule], file, line, message };
}

import type { MarkdownLine } from './markdown-lines.ts';
import { finding, type LintFinding } from './rules.ts';

/**
 * Recommendations of the specification, under "progressive disclosure":
 * https://agentskills.io/specification
 */
const maximum = { metadataTokens: 100, bodyTokens: 5000, bodyLines: 500 };

/** Checks how much of a model's context a skill takes. */
export function lintLength(
  lines: readonly MarkdownLine[],
  tokens: { metadata: number; body: number },
): LintFinding[] {
  const findings: LintFinding[] = [];
  if (tokens.metadata > maximum.metadataTokens) {
    findings.push(
      finding(
        'metadata-tokens',
        'SKILL.md',
        null,
        `name and description take ${tokens.metadata} tokens in every prompt that lists the skill; keep them to at most ${maximum.metadataTokens}`,
      ),
    );
  }
  if (tokens.body === 0) {
    findings.push(finding('body-empty', 'SKILL.md', null, 'no instructions; describe how to do it'));
  }
  if (lines.length > maximum.bodyLines) {
    findings.push(
      finding(
        'body-lines',
        'SKILL.md',
        null,
        `the body has ${lines.length} lines; move details into references/ to stay within ${maximum.bodyLines}`,
      ),
    );
  }
  if (tokens.body > maximum.bodyTokens) {
    findings.push(
      finding(
        'body-tokens',
        'SKILL.md',
        null,
        `the body has ${tokens.body} tokens; move details into references/ to stay within ${maximum.bodyTokens}`,
      ),
    );
  }
  return findings;
}

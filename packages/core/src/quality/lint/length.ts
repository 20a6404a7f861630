import type { MarkdownLine } from './markdown-lines.ts';
import { finding, type LintFinding } from './rules.ts';

/** The specification's recommendations, under "progressive disclosure": https://agentskills.io/specification */
const most = { metadataTokens: 100, bodyTokens: 5000, bodyLines: 500 };

/** What a skill costs a model's context. */
export function lintLength(
  lines: readonly MarkdownLine[],
  tokens: { metadata: number; body: number },
): LintFinding[] {
  const findings: LintFinding[] = [];
  if (tokens.metadata > most.metadataTokens) {
    findings.push(
      finding(
        'metadata-tokens',
        'SKILL.md',
        null,
        `name and description come to ${tokens.metadata} tokens in every prompt that lists the skill; keep them to ${most.metadataTokens}`,
      ),
    );
  }
  if (tokens.body === 0) {
    findings.push(finding('body-empty', 'SKILL.md', null, 'there are no instructions; write how to do it'));
  }
  if (lines.length > most.bodyLines) {
    findings.push(
      finding(
        'body-lines',
        'SKILL.md',
        null,
        `the body has ${lines.length} lines; move what is not always needed into references/, to stay within ${most.bodyLines}`,
      ),
    );
  }
  if (tokens.body > most.bodyTokens) {
    findings.push(
      finding(
        'body-tokens',
        'SKILL.md',
        null,
        `the body comes to ${tokens.body} tokens; move what is not always needed into references/, to stay within ${most.bodyTokens}`,
      ),
    );
  }
  return findings;
}

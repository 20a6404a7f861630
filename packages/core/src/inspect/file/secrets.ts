import { excerptOf } from '../excerpt.ts';
import type { FoundPlace } from '../finding.ts';
import type { InspectionPorts, TextFile } from '../inspected-skill.ts';

/** Words beside a token that is an example. */
const example =
  /example|sample|dummy|fake|placeholder|your[-_ ]|xxxx|test[-_ ]?(?:key|token)|<[^>]*>|\.\.\.|redact/i;

/** Tokens and keys in the text of a file. The excerpt never has them. */
export function secretFindings(
  { path, text }: TextFile,
  lineOf: (index: number) => number,
  { secretsIn, redact }: InspectionPorts,
): FoundPlace[] {
  return secretsIn(text).map(({ index, length }) => {
    const around = text.slice(Math.max(0, index - 80), index + Math.min(length, 200) + 40);
    return {
      rule: 'secret' as const,
      file: path,
      line: lineOf(index),
      excerpt: () => excerptOf(text, index, length, redact),
      severity: example.test(around) ? 'note' : undefined,
      sentence:
        'The file has a secret, which everyone with the skill can use. If it is yours, revoke it; if not, do not use it.',
    };
  });
}

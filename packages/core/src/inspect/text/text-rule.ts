import { excerptOf } from '../excerpt.ts';
import type { FoundPlace, InspectionRule, InspectionSeverity } from '../finding.ts';
import type { InspectionPorts, TextFile } from '../inspected-skill.ts';
import { matchesMax, type TextMatch, type TextPattern } from '../scan-text.ts';

/** A rule on the text of files. */
export interface TextRule extends TextPattern {
  rule: InspectionRule;
  /** Default: the severity of the rule. */
  severity?: InspectionSeverity;
  sentence: string;
  /**
   * The signs of a text that explains the danger, which make a note of it. `warning`: a warning
   * comes before or after it. `quoted`: it is also in quotation marks or inline code. `never`: it is
   * not recognized.
   */
  explained: 'warning' | 'quoted' | 'never';
  /** Further conditions on a match. */
  accepts?: (match: TextMatch, file: TextFile) => boolean;
}

const warningBefore =
  /\b(?:(?:never|don['’]t|do not|must not|cannot)\s+(?:\w+\s+){0,2}(?:run|use|pipe|install|execute|do|write|edit|append|add|commit|send|trust|paste|copy)|avoid|beware|instead of|rather than|dangerous|unsafe|insecure|malicious|attackers?|attacks?|red flags?|anti-?patterns?|injections?|phishing|detects?|flags?|rejects?|refuses?|blocks?|suspicious|reports? (?:skills?|files?|texts?|lines?|any|every|all)|warns?|looks? for)\b/i;
const warningAfter =
  /^[^.!?]{0,80}\b(?:is|are) (?:\w+ )?(?:dangerous|unsafe|insecure|malicious|a red flag|an attack|forbidden|not allowed|suspicious)\b/i;

const lookBack = 200;

/** The findings of a rule's matches in a file. */
export function* textFindings(
  rule: TextRule,
  matches: readonly TextMatch[],
  file: TextFile,
  lineOf: (index: number) => number,
  { redact }: InspectionPorts,
): Generator<FoundPlace> {
  for (const match of matches) {
    if (rule.accepts?.(match, file) === false) continue;
    // A text that repeats the words thousands of times is not an explanation.
    const explains = matches.length < matchesMax && isExplained(rule, match, file);
    // A pattern can begin with the blanks before its first word.
    const index = match.index + (match.text.length - match.text.trimStart().length);
    const severity = explains ? 'note' : rule.severity;
    yield {
      rule: rule.rule,
      file: file.path,
      line: lineOf(index),
      severity,
      excerpt: () => excerptOf(file.text, index, match.text.trim().length, redact),
      sentence: explains
        ? `${rule.sentence} The text seems to warn of it; read it to be sure.`
        : rule.sentence,
    };
  }
}

/** Advice only: a text can pretend to warn, so this lowers the severity and hides nothing. */
function isExplained({ explained }: TextRule, { index, text }: TextMatch, file: TextFile): boolean {
  if (explained === 'never') return false;
  const before = file.text.slice(Math.max(0, index - lookBack), index);
  const sentence = before.split(/[.!?]\s/).at(-1) ?? '';
  const after = file.text.slice(index + text.length, index + text.length + lookBack);
  const warns = warningBefore.test(sentence) || warningAfter.test(after);
  if (explained === 'warning') return warns;
  return warns && /["'“‘«`][^"'”’»`\n]{0,80}$/.test(before) && /^[^"'“‘«`\n]{0,120}["'”’»`]/.test(after);
}

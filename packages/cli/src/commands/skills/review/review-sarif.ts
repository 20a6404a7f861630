import { type InspectionFinding, type InspectionSeverity, inspectionRules } from '@ambit/core/inspect';
import type { SkillReview } from '@ambit/server/installs';

const levels: Record<InspectionSeverity, 'error' | 'warning' | 'note'> = {
  refuse: 'error',
  high: 'error',
  medium: 'warning',
  note: 'note',
};

/**
 * The findings as SARIF 2.1.0, for code hosts and editors. Paths are relative to the skill's folder
 * (`%SRCROOT%`).
 */
export function reviewSarif({ findings, digest }: SkillReview): object {
  const ids = [...new Set(findings.map(({ rule }) => rule))].sort();
  const rules = ids.map((id) => ({ id, defaultConfiguration: { level: levels[inspectionRules[id]] } }));
  return {
    $schema: 'https://json.schemastore.org/sarif-2.1.0.json',
    version: '2.1.0',
    runs: [
      {
        tool: { driver: { name: 'ambit skills review', rules } },
        columnKind: 'utf16CodeUnits',
        properties: digest === null ? undefined : { digest },
        results: findings.map((finding) => resultOf(finding, ids.indexOf(finding.rule))),
      },
    ],
  };
}

function resultOf(finding: InspectionFinding, ruleIndex: number): object {
  const { rule, severity, file, line, excerpt, sentence, count } = finding;
  const snippet = excerpt === null ? undefined : { text: excerpt };
  return {
    ruleId: rule,
    ruleIndex,
    level: levels[severity],
    message: { text: sentence },
    locations: [
      {
        physicalLocation: {
          artifactLocation: { uri: uriOf(file ?? 'SKILL.md'), uriBaseId: '%SRCROOT%' },
          region: line === null ? undefined : { startLine: line, snippet },
        },
      },
    ],
    properties: { severity, count },
  };
}

/** A name in a folder can hold anything but `/` and NUL; a URI reference cannot. */
function uriOf(path: string): string {
  return path
    .split('/')
    .map((part) => encodeURIComponent(part.toWellFormed()))
    .join('/');
}

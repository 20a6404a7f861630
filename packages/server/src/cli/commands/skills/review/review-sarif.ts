import { type InspectionFinding, type InspectionSeverity, inspectionRules } from '@ambit/core/internal';
import type { SkillReview } from '../../../../installs/inspect-folder.ts';

const levels: Record<InspectionSeverity, 'error' | 'warning' | 'note'> = {
  ...{ refuse: 'error', high: 'error', medium: 'warning', note: 'note' },
};

/**
 * The findings as SARIF 2.1.0, for code hosts and editors, with a run for Ambit and for each scanner. Paths are relative to
 * the skill's folder (`%SRCROOT%`).
 */
export function reviewSarif({ findings, digest }: SkillReview): object {
  const byTool = Map.groupBy(findings, ({ scanner }) => scanner?.name);
  const own = byTool.get(undefined) ?? [];
  byTool.delete(undefined);
  return {
    $schema: 'https://json.schemastore.org/sarif-2.1.0.json',
    version: '2.1.0',
    runs: [
      runOf('ambit skills review', own, digest),
      ...[...byTool].sort().map(([name, found]) => runOf(String(name), found, digest)),
    ],
  };
}

function runOf(name: string, findings: readonly InspectionFinding[], digest: string | null): object {
  const rules = new Map(findings.map((finding) => [ruleOf(finding), levelOf(finding)]));
  const ids = [...rules.keys()].sort();
  return {
    tool: {
      driver: { name, rules: ids.map((id) => ({ id, defaultConfiguration: { level: rules.get(id) } })) },
    },
    columnKind: 'utf16CodeUnits',
    ...(digest === null ? {} : { properties: { digest } }),
    results: findings.map((finding) => resultOf(finding, ids.indexOf(ruleOf(finding)))),
  };
}

/** The default level of a rule. The default of a scanner's rule is unknown. */
function levelOf({ rule, severity, scanner }: InspectionFinding): string {
  return levels[scanner === undefined ? inspectionRules[rule] : severity];
}

function ruleOf({ rule, scanner }: InspectionFinding): string {
  return scanner?.rule ?? rule;
}

function resultOf(finding: InspectionFinding, ruleIndex: number): object {
  const { severity, file, line, excerpt, sentence, count } = finding;
  const snippet = excerpt === null ? {} : { snippet: { text: excerpt } };
  return {
    ruleId: ruleOf(finding),
    ruleIndex,
    level: levels[severity],
    message: { text: sentence },
    locations: [
      {
        physicalLocation: {
          artifactLocation: { uri: uriOf(file ?? 'SKILL.md'), uriBaseId: '%SRCROOT%' },
          ...(line === null ? {} : { region: { startLine: line, ...snippet } }),
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

/**
 * The weight of a finding. `refuse`: text that only a model can read, which no honest skill needs.
 * `high`: seen in attacks. `medium`: read this place before you trust the skill. `note`: a fact, or a
 * place that looks like an explanation.
 */
export type InspectionSeverity = 'refuse' | 'high' | 'medium' | 'note';

/** From the worst. */
export const inspectionSeverities: readonly InspectionSeverity[] = ['refuse', 'high', 'medium', 'note'];

/** Every rule by its stable id with its highest severity, as explained in docs/review.md. */
export const inspectionRules = {
  'unicode-tags': 'refuse',
  'unicode-bidi': 'high',
  'unicode-invisible': 'high',
  'unicode-look-alike': 'medium',
  'file-archive': 'medium',
  'file-binary': 'high',
  'file-bytecode': 'high',
  'file-disguised': 'high',
  'file-link': 'medium',
  'file-not-read': 'medium',
  'file-unreadable': 'medium',
  'hidden-settings': 'medium',
  'install-pipe': 'high',
  'install-download': 'high',
  'install-url': 'medium',
  'install-unpinned': 'medium',
  'install-package': 'note',
  'load-command': 'medium',
  'agent-memory': 'high',
  persistence: 'high',
  'prompt-override': 'high',
  'prompt-conceal': 'high',
  'prompt-comment': 'medium',
  'approval-bypass': 'high',
  'payload-encoded': 'high',
  'payload-remote': 'high',
  'reverse-shell': 'high',
  'data-beacon': 'high',
  'data-collector': 'medium',
  'data-credentials': 'high',
  'data-environment': 'high',
  'data-combination': 'medium',
  secret: 'high',
  'name-similar': 'medium',
  'request-broad': 'medium',
  'undeclared-network': 'medium',
  'undeclared-program': 'medium',
  'undeclared-environment': 'medium',
  'undeclared-path': 'medium',
  'package-missing': 'note',
  'file-missing': 'note',
  'declaration-unread': 'medium',
} as const satisfies Record<string, InspectionSeverity>;
/** The id of a rule. */
export type InspectionRule = keyof typeof inspectionRules;

/** Something in a skill that a person should read. Advice: no finding makes a skill safe. */
export interface InspectionFinding {
  rule: InspectionRule;
  severity: InspectionSeverity;
  /** Relative to the skill's folder; `null`: the whole skill. Untrusted text. */
  file: string | null;
  /** Starting at 1; `null` for the whole file. */
  line: number | null;
  /** The place on one line, safe for terminals and models and without secrets; `null` if there is no text. */
  excerpt: string | null;
  /** The fact, why it matters and what to do. May quote the skill, safely. */
  sentence: string;
  /** The number of matches of the rule in this file with this severity. The place is the first match. */
  count: number;
}

/** One place of a finding. The default severity is the rule's. */
export interface FoundPlace extends Omit<InspectionFinding, 'severity' | 'count' | 'excerpt' | 'line'> {
  severity?: InspectionSeverity | undefined;
  line?: number | null;
  /** Read for the first place only: a file can have a million of them. */
  excerpt?: () => string;
}

/** Joins places to one finding for each rule, file and severity. */
export interface FindingCollector {
  add(places: Iterable<FoundPlace>): void;
  /** The worst first. */
  findings(): InspectionFinding[];
}

/** A collector without findings. */
export function findingCollector(): FindingCollector {
  const joined = new Map<string, InspectionFinding>();
  return {
    add: (places) => {
      for (const { rule, file, severity = inspectionRules[rule], line = null, excerpt, sentence } of places) {
        // A rule on the whole skill has a sentence for each thing that it names.
        const key = `${rule} ${severity} ${line === null ? sentence : ''} ${file}`;
        const known = joined.get(key);
        if (known !== undefined) known.count += 1;
        else
          joined.set(key, { rule, severity, file, line, excerpt: excerpt?.() ?? null, sentence, count: 1 });
      }
    },
    findings: () => sortedFindings([...joined.values()]),
  };
}

/** Findings from the worst, then by file and line. */
function sortedFindings(findings: readonly InspectionFinding[]): InspectionFinding[] {
  return findings.toSorted(bySeverityAndPlace);
}

function bySeverityAndPlace(a: InspectionFinding, b: InspectionFinding): number {
  const [x, y] = [a.file ?? '', b.file ?? ''];
  return (
    inspectionSeverities.indexOf(a.severity) - inspectionSeverities.indexOf(b.severity) ||
    (x < y
      ? -1
      : x > y
        ? 1
        : (a.line ?? 0) - (b.line ?? 0) || (a.rule < b.rule ? -1 : a.rule > b.rule ? 1 : 0))
  );
}

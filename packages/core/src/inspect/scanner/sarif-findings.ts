import { z } from 'zod';
import { safeText } from '../excerpt.ts';
import { type InspectionFinding, type InspectionSeverity, sortedFindings } from '../finding.ts';
import type { InspectionPorts } from '../inspected-skill.ts';

/** The bounds of what is read of one scanner's output. Everything beyond is counted. */
const scannerBounds = { results: 10_000, findings: 50, characters: 500 };

/** What a scanner read. */
export interface ScannedFiles {
  /** Where the scanner saw the skill. */
  folder: string;
  /** The files of the skill, relative to its folder. */
  paths: readonly string[];
}

const Text = z.looseObject({ text: z.string().optional().catch(undefined) });
const Level = z.enum(['error', 'warning', 'note', 'none']).optional().catch(undefined);

const Rule = z.looseObject({
  id: z.string().optional().catch(undefined),
  shortDescription: Text.optional().catch(undefined),
  messageStrings: z.record(z.string(), Text).optional().catch(undefined),
  defaultConfiguration: z.looseObject({ level: Level }).optional().catch(undefined),
});
type Rule = z.output<typeof Rule>;

const Result = z.looseObject({
  ruleId: z.string().optional().catch(undefined),
  ruleIndex: z.int().optional().catch(undefined),
  rule: z
    .looseObject({ id: z.string().optional().catch(undefined), index: z.int().optional().catch(undefined) })
    .optional()
    .catch(undefined),
  level: Level,
  kind: z.string().optional().catch(undefined),
  message: Text.extend({
    id: z.string().optional().catch(undefined),
    arguments: z.array(z.string()).optional().catch(undefined),
  })
    .optional()
    .catch(undefined),
  locations: z.array(z.unknown()).optional().catch(undefined),
});
type Result = z.output<typeof Result>;

const Location = z.looseObject({
  physicalLocation: z.looseObject({
    artifactLocation: z.looseObject({ uri: z.string() }),
    region: z
      .looseObject({
        startLine: z.int().positive().optional().catch(undefined),
        snippet: Text.optional().catch(undefined),
      })
      .optional()
      .catch(undefined),
  }),
});

const Run = z.looseObject({
  tool: z
    .looseObject({ driver: z.looseObject({ rules: z.array(z.unknown()).optional().catch(undefined) }) })
    .optional()
    .catch(undefined),
  invocations: z
    .array(z.looseObject({ executionSuccessful: z.boolean().optional().catch(undefined) }))
    .optional()
    .catch(undefined),
  /** `null`: the tool has no results because it failed. */
  results: z.array(z.unknown()).nullish(),
});
type Run = z.output<typeof Run>;

const Sarif = z.looseObject({ version: z.string().startsWith('2.'), runs: z.array(Run) });

/** The findings of a scanner, and why some may be missing, as the predicate of a sentence. */
export interface ScannerReport {
  /** From the worst. */
  findings: InspectionFinding[];
  problem: string | null;
}

/**
 * Reads a SARIF log of the named scanner. All of it is untrusted: a skill can make a scanner print anything. A result
 * without a severity is `medium`. Suppressed results are listed too, because a skill can suppress results by comments.
 */
export function sarifFindings(
  scanner: string,
  log: unknown,
  scanned: ScannedFiles,
  { redact }: Pick<InspectionPorts, 'redact'>,
): ScannerReport {
  const parsed = Sarif.safeParse(log);
  if (!parsed.success) return { findings: [], problem: 'printed no SARIF 2.1.0' };
  const { runs } = parsed.data;
  const problem = runs.some(isFailed)
    ? 'reported that it did not finish'
    : runs.some(({ results }) => Array.isArray(results))
      ? null
      : 'printed SARIF without a list of results';
  const paths = new Set(scanned.paths);
  const clean = (text: string, max?: number): string => safeText(redact(text.slice(0, 4000)), max);
  const found: InspectionFinding[] = [];
  let [read, unread] = [0, 0];
  for (const run of runs) {
    const rules = rulesOf(run);
    for (const each of run.results ?? []) {
      const result = Result.safeParse(each);
      if (read === scannerBounds.results || !result.success) unread += 1;
      else {
        read += 1;
        const finding = findingOf(scanner, result.data, rules, { folder: scanned.folder, paths, clean });
        if (finding !== undefined) found.push(finding);
      }
    }
  }
  const sorted = sortedFindings(found);
  const [shown, left] = [sorted.slice(0, scannerBounds.findings), sorted.slice(scannerBounds.findings)];
  const count = left.length + unread;
  if (count === 0) return { findings: shown, problem };
  // A result that cannot be read has no severity.
  const severity = left[0]?.severity ?? 'medium';
  const more: InspectionFinding = {
    ...{ rule: 'scanner-result', severity, file: null, line: null, excerpt: null },
    sentence: `The scanner reported ${count} more results, which are not listed. Run it yourself to read them.`,
    ...{ count, scanner: { name: scanner, rule: 'more' } },
  };
  return { findings: sortedFindings([...shown, more]), problem };
}

/** The finding for a scanner whose findings are missing. `why` is the predicate of a sentence; both texts are safe. */
export function failedScanner(name: string, why: string, remedy: string): InspectionFinding {
  return {
    ...{ rule: 'scanner-failed', severity: 'medium', file: null, line: null, excerpt: null },
    sentence: `The scanner ${name} ${why}, so findings are missing. ${remedy}`,
    ...{ count: 1, scanner: { name, rule: 'failed' } },
  };
}

function isFailed({ invocations = [], results }: Run): boolean {
  return results === null || invocations.some(({ executionSuccessful }) => executionSuccessful === false);
}

interface Rules {
  at(index: number): Rule | undefined;
  named(id: string): Rule | undefined;
}

function rulesOf({ tool }: Run): Rules {
  const listed = (tool?.driver.rules ?? []).slice(0, scannerBounds.results);
  const rules = listed.map((each) => Rule.safeParse(each).data);
  const byId = new Map(rules.flatMap((each) => (each?.id === undefined ? [] : [[each.id, each] as const])));
  return { at: (index) => rules[index], named: (id) => byId.get(id) };
}

const severities: Readonly<Record<'error' | 'warning' | 'note' | 'none', InspectionSeverity>> = {
  ...{ error: 'high', warning: 'medium', note: 'note', none: 'note' },
};

function findingOf(
  scanner: string,
  result: Result,
  rules: Rules,
  {
    folder,
    paths,
    clean,
  }: { folder: string; paths: ReadonlySet<string>; clean: (text: string, max?: number) => string },
): InspectionFinding | undefined {
  const { ruleId, rule: named, level, kind = 'fail', message, locations = [] } = result;
  // These say that there is no problem.
  if (kind === 'pass' || kind === 'notApplicable') return undefined;
  const index = result.ruleIndex ?? named?.index;
  const id = ruleId ?? named?.id;
  const rule =
    (index === undefined ? undefined : rules.at(index)) ?? (id === undefined ? undefined : rules.named(id));
  const severity =
    kind === 'fail' ? (level ?? rule?.defaultConfiguration?.level ?? 'warning') : (level ?? 'none');
  const place = Location.safeParse(locations[0]).data?.physicalLocation;
  const file = place === undefined ? undefined : pathOf(place.artifactLocation.uri, folder);
  const isFile = file !== undefined && paths.has(file);
  const snippet = place?.region?.snippet?.text;
  const text =
    message?.text ??
    rule?.messageStrings?.[message?.id ?? '']?.text ??
    rule?.shortDescription?.text ??
    'The scanner gives no explanation.';
  const filled = text
    .slice(0, 4000)
    .replace(/\{(\d)\}/g, (hole, at: string) => message?.arguments?.[Number(at)]?.slice(0, 200) ?? hole);
  return {
    ...{ rule: 'scanner-result', severity: severities[severity] },
    file: isFile ? file : null,
    line: isFile ? (place?.region?.startLine ?? null) : null,
    excerpt: isFile && snippet !== undefined ? clean(snippet) : null,
    sentence: clean(filled, scannerBounds.characters),
    count: 1,
    scanner: { name: scanner, rule: clean(id ?? rule?.id ?? 'unnamed') },
  };
}

/** The path of a file in the skill; `undefined` for a URI that is no path. */
function pathOf(uri: string, folder: string): string | undefined {
  let path: string;
  try {
    path = decodeURIComponent(uri.replace(/^file:\/\/(?=\/)/, ''));
  } catch {
    return undefined;
  }
  // Some tools print paths relative to where they start, which is beside the skill.
  const absolute = path.replace(/^\.\.(?=\/)/, '');
  const inside = absolute.startsWith(`${folder}/`) ? absolute.slice(folder.length + 1) : path;
  return inside.replace(/^(?:\.\/+)+/, '');
}

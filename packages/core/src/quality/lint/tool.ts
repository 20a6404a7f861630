import type { Sidecar } from '../../skill/sidecar.ts';
import type { SkillFolder } from '../skill-folder.ts';
import { yamlLines } from '../yaml-lines.ts';
import type { MarkdownLine } from './markdown-lines.ts';
import { finding, type LintFinding } from './rules.ts';

/**
 * Checks whether a caller can tell what to send to an executable skill. Skips skills without a
 * `run`.
 */
export function lintTool(
  { sidecar: text }: SkillFolder,
  { run, version }: Sidecar,
  lines: readonly MarkdownLine[],
): LintFinding[] {
  if (run === undefined || text === undefined) return [];
  const { lineOf } = yamlLines(text);
  const findings: LintFinding[] = [];
  if (version === undefined) {
    findings.push(
      finding(
        'version-missing',
        'ambit.yaml',
        null,
        'no version: skills cannot require one, and records do not show which one ran; add version: 1.0.0',
      ),
    );
  }
  const properties = typeof run.input === 'object' ? run.input['properties'] : undefined;
  const silent = Object.entries(isRecord(properties) ? properties : {})
    .filter(([, schema]) => !describes(schema))
    .map(([name]) => name);
  if (silent[0] !== undefined) {
    findings.push(
      finding(
        'input-undescribed',
        'ambit.yaml',
        lineOf(['run', 'input', 'properties', silent[0]]),
        `models read the schema to know what to send; add a description to ${silent.join(', ')}`,
      ),
    );
  }
  const shows = lines.some(({ fence, text: line }) => fence !== null || /^(?: {4}|\t)\S/.test(line));
  if (!shows && !hasExamples(run.input, properties)) {
    findings.push(
      finding(
        'example-missing',
        'SKILL.md',
        null,
        'no example of a call; add one with its result in a code block',
      ),
    );
  }
  return findings;
}

/** Whether a schema has a description, directly or by reference. */
function describes(schema: unknown): boolean {
  return (
    isRecord(schema) && (typeof schema['description'] === 'string' || typeof schema['$ref'] === 'string')
  );
}

function hasExamples(input: unknown, properties: unknown): boolean {
  const schemas = [input, ...Object.values(isRecord(properties) ? properties : {})];
  return schemas.some((schema) => isRecord(schema) && Array.isArray(schema['examples']));
}

function isRecord(value: unknown): value is Record<string, unknown> {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}

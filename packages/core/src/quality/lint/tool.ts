import type { Sidecar } from '../../skill/sidecar.ts';
import type { SkillFolder } from '../skill-folder.ts';
import { yamlLines } from '../yaml-lines.ts';
import type { MarkdownLine } from './markdown-lines.ts';
import { finding, type LintFinding } from './rules.ts';

/** Whether a caller can tell what to send to a skill that can be executed. Says nothing of one without a `run`. */
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
        'there is no version, so no skill can require one and no record says which ran; add version: 1.0.0',
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
        `a model learns what to send from the schema: add a description to ${silent.join(', ')}`,
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
        'there is no example of a call; show one, with what it answers, in a block of code',
      ),
    );
  }
  return findings;
}

/** Described itself, or where it points to. */
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

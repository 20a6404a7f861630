import { parse as parseYaml } from 'yaml';
import { z } from 'zod';
import { SkillError } from '../execute/skill-error.ts';
import { splitSkillFile } from './frontmatter.ts';
import { nearest } from './issues.ts';
import { SkillName } from './manifest.ts';
import { type Run, readSidecar } from './sidecar.ts';

/** One file below a skill's folder. */
export interface CheckedFile {
  /** Relative, with forward slashes. */
  path: string;
  isLink: boolean;
  /** A link that leads elsewhere, or nowhere. */
  leavesFolder: boolean;
  /** Of a file whose name ends in `.wasm`: why it is no module that can run, going on from its name. */
  noModule?: string | undefined;
}

/** A skill's folder, as far as strict checking reads it. */
export interface SkillFolder {
  /** The folder's own name. */
  name: string;
  files: readonly CheckedFile[];
  /** The text of its `SKILL.md`. */
  skillMd: string;
  /** The text of its `ambit.yaml`; `undefined` when it has none. */
  sidecar: string | undefined;
}

/** Every mistake, one sentence each, with the file that it is in. A skill with errors is invalid. */
export interface SkillValidation {
  errors: string[];
  warnings: string[];
}

/**
 * Checks a skill as strictly as the Agent Skills specification and the sidecar's schema are written, for its author;
 * loading (`readManifest`) is more lenient. Never throws.
 */
export function validateSkill({ name, files, skillMd, sidecar }: SkillFolder): SkillValidation {
  const manifest = checkManifest(skillMd, name);
  const tool = sidecar === undefined ? { errors: [], warnings: [] } : checkSidecar(sidecar, files);
  const strays = files
    .filter(({ leavesFolder }) => leavesFolder)
    .map(({ path }) => `${path}: the link leads out of the folder, and nowhere when the skill runs`);
  return {
    errors: [...manifest.errors, ...tool.errors],
    warnings: [...manifest.warnings, ...tool.warnings, ...strays],
  };
}

const inQuotes = 'write a text; in quotes where YAML reads a number or a boolean';

/** The specification's fields, with its bounds. https://agentskills.io/specification */
const StrictFrontmatter = z.looseObject({
  name: z.string('add a name, the same as the folder’s').pipe(SkillName),
  description: z
    .string('add a description: what it does and when to use it')
    .max(1024, 'at most 1024 characters')
    .refine((text) => text.trim() !== '', 'say what it does and when to use it'),
  license: z.string(inQuotes).optional(),
  compatibility: z
    .string(inQuotes)
    .min(1, 'say something, or take it out')
    .max(500, 'at most 500 characters')
    .optional(),
  metadata: z.record(z.string(), z.string(inQuotes), 'write a mapping of texts to texts').optional(),
  'allowed-tools': z.string('write one text, with blanks between the tools').optional(),
});

const knownFields = Object.keys(StrictFrontmatter.shape);

function checkManifest(text: string, folderName: string): SkillValidation {
  const at = (issues: readonly string[]): string[] => issues.map((issue) => `SKILL.md: ${issue}`);
  let fields: Record<string, unknown> | undefined;
  try {
    fields = splitSkillFile(text).fields;
  } catch (error) {
    return { errors: at([(error as Error).message]), warnings: [] };
  }
  if (fields === undefined) {
    return {
      errors: at(['there is no frontmatter: begin the file with ---, name, description and ---']),
      warnings: [],
    };
  }
  const parsed = StrictFrontmatter.safeParse(fields);
  const issues = parsed.success
    ? []
    : parsed.error.issues.map(({ path, message }) => `${path.join('.')}: ${message}`);
  const { name } = fields;
  if (SkillName.safeParse(name).success && name !== folderName) {
    issues.push(`name: ${name} is not the name of its folder, ${folderName}`);
  }
  const unknown = Object.keys(fields).filter((field) => !knownFields.includes(field));
  return { errors: at([...yamlIssues(text), ...issues]), warnings: at(unknown.map(unknownField)) };
}

/** Reading mends values with an unquoted colon; other tools do not. */
function yamlIssues(text: string): string[] {
  const block = /^\uFEFF?---[ \t]*\r?\n([\s\S]*?)^---[ \t]*\r?$/m.exec(text)?.[1] ?? '';
  try {
    parseYaml(block);
    return [];
  } catch {
    return ['the frontmatter is not YAML as it stands: put values with a colon in quotes'];
  }
}

function unknownField(field: string): string {
  const near = nearest(field, knownFields);
  return `${field}: the specification has no such field${near === undefined ? ', and tools ignore it' : `; did you mean ${near}?`}`;
}

function checkSidecar(text: string, files: readonly CheckedFile[]): SkillValidation {
  const at = (issues: readonly string[]): string[] => issues.map((issue) => `ambit.yaml: ${issue}`);
  try {
    const { run } = readSidecar(text);
    if (run === undefined) return { errors: [], warnings: [] };
    return {
      errors: at([...entryIssues(run, files), ...workspaceIssues(run), ...schemaIssues(run)]),
      warnings: at(schemaDoubts(run)),
    };
  } catch (error) {
    if (!(error instanceof SkillError)) throw error;
    const issues = error.details['issues'] as readonly string[] | undefined;
    return { errors: issues === undefined ? [error.message] : at(issues), warnings: [] };
  }
}

function entryIssues({ runtime, entry }: Run, files: readonly CheckedFile[]): string[] {
  const file = files.find(({ path }) => path === entry.replace(/^(\.\/)+/, ''));
  if (file === undefined) return [`run.entry: there is no file ${entry} in this folder`];
  if (file.leavesFolder) return [`run.entry: ${entry} is a link that leaves the folder`];
  return runtime === 'wasm' ? wasmEntryIssues(file, files) : [];
}

/** A host process gets the files themselves, and only what it knows by its ending. */
function wasmEntryIssues({ path, isLink, noModule }: CheckedFile, files: readonly CheckedFile[]): string[] {
  if (!/\.(wasm|m?js)$/.test(path)) {
    return [`run.entry: runtime wasm runs a .wasm, .js or .mjs, and ${path} is none by its name`];
  }
  if (isLink) return [`run.entry: ${path} is a link; runtime wasm runs files, so put the file itself there`];
  if (path.endsWith('.wasm')) return noModule === undefined ? [] : [`run.entry: ${path} ${noModule}`];
  return files
    .filter((file) => file.isLink && /\.(m?js|json)$/.test(file.path))
    .map((file) => `run.entry: ${file.path} comes with it and is a link; put the file itself there`);
}

function workspaceIssues({ runtime, capabilities: { filesystem } }: Run): string[] {
  if (runtime !== 'wasm') return [];
  return (['read', 'write'] as const)
    .filter((right) => filesystem[right].includes('workspace'))
    .map(
      (right) =>
        `run.capabilities.filesystem.${right}: skills with runtime wasm have no workspace; take it out`,
    );
}

function schemaIssues(run: Run): string[] {
  return (['input', 'output'] as const)
    .filter((key) => typeof run[key] === 'boolean')
    .map((key) => `run.${key}: write a schema as a mapping; to accept anything, take it out`);
}

/** What works, and is probably not what was meant. */
function schemaDoubts({ protocol, input, output }: Run): string[] {
  if (protocol === 'command') {
    const unused = Object.entries({ input, output }).filter(([, schema]) => schema !== undefined);
    return unused.map(([key]) => `run.${key}: protocol command has no JSON, so this schema is never used`);
  }
  if (input === undefined)
    return ['run.input: without a schema no caller can know what to send, and nothing is checked'];
  return typeof input === 'object' && input['type'] !== 'object'
    ? ['run.input: agents can only call tools whose input has type: object']
    : [];
}

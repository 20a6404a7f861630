import { z } from 'zod';
import { codexFile } from '../../skill/codex-policy.ts';
import { declaredVersion } from '../../skill/declared-version.ts';
import { parseYaml } from '../../skill/parse-yaml.ts';
import { safeText } from '../excerpt.ts';
import type { FoundPlace } from '../finding.ts';
import type { TextFile } from '../inspected-skill.ts';
import type { DeclaredNeed } from './declared-lines.ts';

/** More are no help to a person. */
const needsMax = 100;

/**
 * Returns what a skill's files declare for other tools: `metadata.openclaw.requires` and its earlier names, `dependencies.tools`
 * of Codex' `agents/openai.yaml`, and versions of interpreters. What cannot be read is a finding. Never throws.
 */
export function declaredNeeds(
  files: readonly TextFile[],
  metadata: Readonly<Record<string, string>>,
  skillFile: string,
): { needs: DeclaredNeed[]; findings: FoundPlace[] } {
  const findings: FoundPlace[] = [];
  const unread = (file: string, why: string): DeclaredNeed[] => {
    findings.push({
      rule: 'declaration-unread',
      file,
      sentence: `${safeText(why, 300)}. Ambit does not use it, so read yourself what it asks for.`,
    });
    return [];
  };
  const needs = [
    ...openclawNames.flatMap((name) => {
      const text = metadata[name];
      return text === undefined ? [] : openclawNeeds(text, `metadata.${name}`, skillFile, unread);
    }),
    ...files.flatMap((file) => {
      const { path, text } = file;
      if (path === codexFile) return codexNeeds(text, unread);
      const found = mayDeclareVersion(path) ? declaredVersion(path, text) : undefined;
      if (found === undefined) return [];
      const kind = found.program === 'node' ? ('node' as const) : ('python' as const);
      return [{ kind, name: safeText(found.range), file: path }];
    }),
  ];
  const unique = new Map(needs.map((need) => [`${need.kind} ${need.name} ${need.file}`, need]));
  return { needs: [...unique.values()].slice(0, needsMax), findings };
}

type Unread = (file: string, why: string) => DeclaredNeed[];

/** The name of that tool, from the latest. */
const openclawNames = ['openclaw', 'moltbot', 'clawdbot', 'clawdis'] as const;

/** Elsewhere they belong to templates and examples. */
function mayDeclareVersion(path: string): boolean {
  return path.endsWith('.py') || /^(?:scripts\/)?(?:pyproject\.toml|package\.json)$/.test(path);
}

const Names = z.array(z.string()).max(needsMax).default([]);
const Openclaw = z.object({
  os: z.union([z.string().transform((each) => [each]), Names]).optional(),
  requires: z.object({ bins: Names, anyBins: Names, env: Names }).partial().optional(),
});

function openclawNeeds(text: string, key: string, file: string, unread: Unread): readonly DeclaredNeed[] {
  let value: unknown;
  try {
    value = JSON.parse(text);
  } catch {
    return unread(file, `${key} is neither a mapping nor JSON`);
  }
  const parsed = Openclaw.safeParse(value);
  if (!parsed.success) return unread(file, `${key} has ${issueIn(parsed.error)}`);
  const { os = [], requires: { bins = [], anyBins = [], env = [] } = {} } = parsed.data;
  const all = (kind: DeclaredNeed['kind'], names: readonly string[]): DeclaredNeed[] =>
    names.map((name) => ({ kind, name: safeText(name), file }));
  return withNames(key, unread, [
    ...all('program', bins),
    ...all('any-program', anyBins),
    ...all('environment', env),
    ...all('system', os),
  ]);
}

/** Names can become part of a grant, so nothing of a declaration is used that has something else in their place. */
function withNames(what: string, unread: Unread, needs: readonly DeclaredNeed[]): readonly DeclaredNeed[] {
  const odd = needs.find(
    ({ kind, name }) => kind !== 'mcp-server' && !(kind === 'environment' ? variable : program).test(name),
  );
  return odd === undefined
    ? needs
    : unread(odd.file, `${what} has ${JSON.stringify(odd.name)}, which is no name`);
}

const program = /^\w[\w.+-]{0,80}$/;
const variable = /^[A-Za-z_]\w{0,80}$/;

const Codex = z.object({
  dependencies: z
    .object({
      tools: z
        .array(z.object({ type: z.string(), value: z.string(), url: z.string().optional() }))
        .max(needsMax)
        .optional(),
    })
    .nullish(),
});

function codexNeeds(text: string, unread: Unread): readonly DeclaredNeed[] {
  let value: unknown;
  try {
    value = parseYaml(text);
  } catch (error) {
    return unread(codexFile, `${codexFile} cannot be read: ${(error as Error).message.split('\n', 1)[0]}`);
  }
  const parsed = Codex.safeParse(value ?? {});
  if (!parsed.success) return unread(codexFile, `${codexFile} has ${issueIn(parsed.error)}`);
  const needs = (parsed.data.dependencies?.tools ?? []).map(
    ({ type, value: name, url }): DeclaredNeed => ({
      kind: /^(?:cli|bin|binary|program|command)$/.test(type)
        ? 'program'
        : type === 'env_var'
          ? 'environment'
          : 'mcp-server',
      name: safeText(url === undefined ? name : `${name}, ${url}`),
      file: codexFile,
    }),
  );
  return withNames(codexFile, unread, needs);
}

function issueIn({ issues: [issue] }: z.ZodError): string {
  return `the wrong type at ${(issue?.path ?? []).join('.').slice(0, 100) || 'its top'}`;
}

import { SkillName } from '@ambit/core/skill';
import { acceptedVersion } from '../skill/accepted-version.ts';
import { requirements } from '../skill/dependencies.ts';
import { fitDescription } from '../skill/description.ts';
import { type Contents, type ImportedSkill, quote, type ReportLine } from '../skill/imported.ts';
import { fieldText, type MarkdownSkill, namesIn, readMarkdownSkill } from '../skill/markdown-skill.ts';
import { skillNames } from '../skill/skill-names.ts';
import { sidecarText, skillFileText } from '../skill/skill-text.ts';
import type { ReadFile } from '../source/source.ts';
import { externalSkills } from './external-skills.ts';
import { type IsdlcManifest, readIsdlcManifest } from './isdlc-manifest.ts';

/** The files of an iSDLC project. */
export interface IsdlcSource {
  /** The text of `skills-manifest.json`, or of the same in YAML. */
  manifest: string;
  isYaml: boolean;
  /** The text of the manifest of external skills; `undefined` if there is none. */
  external: string | undefined;
  /** Every `SKILL.md`, sorted by path. */
  skillFiles: readonly IsdlcFile[];
  /** Reads the files that the manifest of external skills names. */
  readFile: ReadFile;
}

export interface IsdlcFile {
  /** The skill's folder relative to the source's, such as `skills/development/bug-fixing`. */
  folder: string;
  text: string;
  /** The other files of that folder. */
  files: ImportedSkill['files'];
}

/**
 * Reads iSDLC's skills. The manifest decides who owns a skill; an id without a file is reported in a
 * line. Dependencies become requirements of any version.
 *
 * Throws `UsageError` if a manifest is invalid.
 */
export async function readIsdlc({
  manifest: text,
  isYaml,
  external,
  skillFiles,
  readFile,
}: IsdlcSource): Promise<Contents> {
  const lines: ReportLine[] = [];
  const manifest = readIsdlcManifest(text, isYaml, lines);
  const { ownership } = manifest;
  const nameFor = skillNames(lines);
  const found = readFiles(skillFiles, manifest, nameFor, lines);
  const required = requirements(found, lines);
  const owners = ownersOf(ownership);
  const names = new Map(found.map(({ id, name }) => [id, name]));
  const agents = agentSettings(ownership, names);
  lines.push(...missingFiles(owners, names));
  reportOtherKeys(found, lines);
  return {
    skills: [
      ...found.map((skill) =>
        importedSkill(skill, owners.get(skill.id), required.get(skill.name) ?? [], lines),
      ),
      ...(external === undefined ? [] : await externalSkills(external, readFile, nameFor, lines)),
    ],
    settings: { phases: {}, agents },
    lines,
  };
}

interface FoundSkill {
  /** iSDLC's id, or the folder if the file has none. */
  id: string;
  name: string;
  dependencies: readonly string[];
  file: IsdlcFile;
  read: MarkdownSkill;
}

function readFiles(
  files: readonly IsdlcFile[],
  manifest: IsdlcManifest,
  nameFor: (wanted: string) => string,
  lines: ReportLine[],
): FoundSkill[] {
  const found = new Map<string, FoundSkill>();
  for (const file of files) {
    const about = quote(file.folder);
    const read = readMarkdownSkill(file.text, about, lines);
    if (read === undefined) continue;
    const id = idOf(read, file.folder, manifest);
    const listedName = id === undefined ? undefined : manifest.names.get(id);
    if (read.isUndescribed && listedName !== undefined)
      read.fields.description = fitDescription(listedName, about, lines);
    if (id === undefined)
      lines.push({ kind: 'changed', about, text: 'has no skill id, so no agent owns it' });
    const known = id === undefined ? undefined : found.get(id);
    if (known !== undefined) {
      lines.push({
        kind: 'left-out',
        about,
        text: `has the same id as ${quote(known.file.folder)}: ${quote(known.id)}`,
      });
      continue;
    }
    found.set(id ?? file.folder, {
      id: id ?? file.folder,
      name: nameFor(wantedName(read.name ?? listedName, file.folder)),
      dependencies: namesIn(read.others.get('dependencies')),
      file,
      read,
    });
  }
  return [...found.values()];
}

/** Folders that a path in a manifest can be relative to. */
const bases = ['', 'skills/', '.claude/skills/'];

/** The id in the file, or else the id by which the manifest names its folder. */
function idOf({ others, body }: MarkdownSkill, folder: string, { ids }: IsdlcManifest): string | undefined {
  const own = fieldText(others.get('skill_id')) || /^#[ \t]+([\w.-]+):/m.exec(body)?.[1];
  if (own !== undefined) return own;
  return bases
    .filter((base) => folder.startsWith(base))
    .map((base) => ids.get(folder.slice(base.length)))
    .find((id) => id !== undefined);
}

/** The name in the file, unless only the folder's name is a valid skill name. */
function wantedName(name: string | undefined, folder: string): string {
  const last = folder.split('/').at(-1) ?? folder;
  const candidates = [name ?? last, last];
  return candidates.find((candidate) => SkillName.safeParse(candidate).success) ?? name ?? last;
}

function ownersOf(ownership: IsdlcManifest['ownership']): Map<string, string[]> {
  const owners = new Map<string, string[]>();
  for (const [agent, ids] of ownership)
    for (const id of ids) owners.set(id, [...(owners.get(id) ?? []), agent]);
  return owners;
}

function agentSettings(
  ownership: IsdlcManifest['ownership'],
  names: ReadonlyMap<string, string>,
): Record<string, { skills: string[] }> {
  const settings = [...ownership].map(([agent, ids]): [string, { skills: string[] }] => [
    agent,
    { skills: ids.flatMap((id) => names.get(id) ?? []) },
  ]);
  return Object.fromEntries(settings.filter(([, { skills }]) => skills.length > 0));
}

function missingFiles(
  owners: ReadonlyMap<string, readonly string[]>,
  names: ReadonlyMap<string, string>,
): ReportLine[] {
  return [...owners]
    .filter(([id]) => !names.has(id))
    .map(([id, agents]) => ({
      kind: 'left-out',
      about: quote(id),
      text: `is owned by ${agents.map(quote).join(', ')}, but no SKILL.md has this id`,
    }));
}

/** Keys of iSDLC's frontmatter that do not become metadata. */
const placed = ['skill_id', 'owner', 'version', 'dependencies'];

function reportOtherKeys(found: readonly FoundSkill[], lines: ReportLine[]): void {
  const keys = new Set(
    found.flatMap(({ read }) => [...read.others.keys()]).filter((key) => !placed.includes(key)),
  );
  if (keys.size === 0) return;
  const text = 'are not keys of the Agent Skills specification; they are stored as metadata';
  lines.push({ kind: 'changed', about: [...keys].map(quote).join(', '), text });
}

function importedSkill(
  { id, name, file, read }: FoundSkill,
  owners: readonly string[] | undefined,
  required: readonly string[],
  lines: ReportLine[],
): ImportedSkill {
  const about = quote(id);
  const owner = fieldText(read.others.get('owner'));
  if (owners !== undefined && owner !== '' && !owners.includes(owner))
    lines.push({
      kind: 'changed',
      about,
      text: `names ${quote(owner)} as its owner; the manifest names ${owners.map(quote).join(', ')}, which wins`,
    });
  const agents = owners ?? (owner === '' ? [] : [owner]);
  const version = acceptedVersion(fieldText(read.others.get('version')), about, lines);
  const others = [...read.others].filter(
    ([key]) => !placed.includes(key) || (key === 'version' && version === undefined),
  );
  const metadata: Record<string, string | undefined> = {
    ...read.fields.metadata,
    ...Object.fromEntries(others.map(([key, value]) => [key, fieldText(value)])),
  };
  if (read.name !== undefined && read.name !== name) metadata['title'] = read.name;
  if (id !== file.folder) metadata['skill-id'] = id;
  metadata['isdlc-folder'] = file.folder;
  return {
    id: name,
    skillMd: skillFileText({ name, ...read.fields, metadata }, `\n${read.body}\n`),
    sidecar: sidecarText({
      version,
      agents: agents.length === 0 ? undefined : agents,
      requires: required.length === 0 ? undefined : Object.fromEntries(required.map((other) => [other, '*'])),
    }),
    files: file.files,
  };
}

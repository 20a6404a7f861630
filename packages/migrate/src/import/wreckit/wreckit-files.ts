import { isDeepStrictEqual } from 'node:util';
import { describeIssues } from '@ambit/core/skill';
import { z } from 'zod';
import { quote, type ReportLine } from '../skill/imported.ts';
import { readJson } from '../skill/json-value.ts';
import { readSkill, type WreckitDocument, type WreckitSkill, WreckitSkillFile } from './wreckit-document.ts';

/** A folder of skills, one a file. */
export interface WreckitFiles {
  /** The text of each skill, by its path: `<phase>/<name>.json`. */
  texts: ReadonlyMap<string, string>;
  /** The text of `index.json`; `undefined` if there is none. */
  index: string | undefined;
  /** The text of a Markdown file beside a skill; `undefined` if it does not exist. */
  readBody(path: string): Promise<string | undefined>;
}

const Index = z.object({
  skills: z.array(
    z.object({
      name: z.string(),
      phase: z.string(),
      path: z.string().optional(),
      tags: z.array(z.string()).optional(),
      version: z.string().optional(),
    }),
  ),
});
type IndexEntry = z.output<typeof Index>['skills'][number];

/**
 * Reads wreckit's skills from files. Their phase is their folder. The index decides their order, and
 * gives a skill the tags and the version that its file does not have. Without a usable index, they are
 * in the order of their paths. The same skill in several folders is one skill for several phases. A
 * different one of the same name is named after its phase.
 */
export async function readWreckitFiles(
  { texts, index, readBody }: WreckitFiles,
  lines: ReportLine[],
): Promise<WreckitDocument> {
  const entries = new Map(indexEntries(index, lines).map((entry) => [pathOf(entry, texts), entry]));
  for (const path of entries.keys()) {
    if (!texts.has(path))
      lines.push({ kind: 'left-out', about: quote(path), text: 'is in index.json, but no such file exists' });
  }
  const paths = [...entries.keys(), ...texts.keys()].filter((path) => texts.has(path));
  const found: FileSkill[] = [];
  for (const path of new Set(paths)) {
    const skill = await fileSkill(path, texts.get(path) ?? '', entries.get(path), { readBody, lines });
    if (skill !== undefined) found.push(skill);
  }
  return documentOf(found, lines);
}

interface FileSkill {
  path: string;
  phase: string | undefined;
  skill: WreckitSkill;
}

async function fileSkill(
  path: string,
  text: string,
  entry: IndexEntry | undefined,
  { readBody, lines }: { readBody: WreckitFiles['readBody']; lines: ReportLine[] },
): Promise<FileSkill | undefined> {
  const json = readJson(text);
  if ('problem' in json) {
    lines.push({ kind: 'left-out', about: quote(path), text: json.problem });
    return undefined;
  }
  const read = readSkill(WreckitSkillFile, json.value, quote(path), lines);
  if (read === undefined) return undefined;
  const { name, phase: written, required_tools, schema_version: _, ...fields } = read;
  const folder = path.includes('/') ? path.slice(0, path.indexOf('/')) : undefined;
  if (folder !== undefined && written !== undefined && written !== folder)
    lines.push({
      kind: 'changed',
      about: quote(path),
      text: `names the phase ${quote(written)}; it gets the phase of its folder`,
    });
  const content = fields.content ?? (await readBody(path.replace(/\.json$/, '.md')));
  return {
    path,
    phase: folder ?? written,
    skill: {
      ...fields,
      id: fields.id ?? name,
      name,
      content,
      tools: fields.tools ?? required_tools,
      tags: fields.tags ?? entry?.tags,
      version: fields.version ?? entry?.version,
    },
  };
}

function indexEntries(index: string | undefined, lines: ReportLine[]): IndexEntry[] {
  if (index === undefined) return [];
  const ignored = (why: string): IndexEntry[] => {
    lines.push({
      kind: 'left-out',
      about: 'index.json',
      text: `is ignored, and the skills come from their files: ${why}`,
    });
    return [];
  };
  const json = readJson(index);
  if ('problem' in json) return ignored(`it ${json.problem}`);
  const read = Index.safeParse(json.value);
  return read.success ? read.data.skills : ignored(describeIssues(read.error, Index, json.value).join('; '));
}

/** Its path below the folder of skills: by its name, or else as the index writes it, from the folder or the project. */
function pathOf({ phase, name, path = '' }: IndexEntry, texts: ReadonlyMap<string, string>): string {
  const byName = `${phase}/${name}.json`;
  const written = path.replace(/^(?:\.\/)?(?:\.wreckit\/)?(?:skills\/)?/, '').replace(/\.md$/, '.json');
  return texts.has(byName) || !texts.has(written) ? byName : written;
}

function documentOf(found: readonly FileSkill[], lines: ReportLine[]): WreckitDocument {
  const skills = new Map<string, WreckitSkill>();
  const phaseSkills = new Map<string, string[]>();
  const idByPlace = new Map<string, string>();
  for (const { path, phase, skill } of found) {
    const first = skills.get(skill.id);
    const isSame = first === undefined || isDeepStrictEqual(first, skill);
    const id = isSame ? skill.id : `${phase ?? 'other'}-${skill.id}`;
    if (skills.has(id) && !isSame) {
      lines.push({ kind: 'left-out', about: quote(path), text: `has the name ${quote(id)}, which is taken` });
      continue;
    }
    if (!isSame)
      lines.push({
        kind: 'changed',
        about: quote(path),
        text: `differs from another skill with the name ${quote(skill.id)}; it is imported as ${quote(id)}`,
      });
    skills.set(id, { ...skill, id });
    idByPlace.set(`${phase}/${skill.id}`, id);
    if (phase !== undefined) phaseSkills.set(phase, [...(phaseSkills.get(phase) ?? []), id]);
  }
  for (const { phase, skill } of found) {
    const id = idByPlace.get(`${phase}/${skill.id}`);
    const stored = id === undefined ? undefined : skills.get(id);
    if (stored?.depends_on_skills === undefined) continue;
    stored.depends_on_skills = stored.depends_on_skills.map(
      (other) => idByPlace.get(`${phase}/${other}`) ?? other,
    );
  }
  return { phase_skills: Object.fromEntries(phaseSkills), skills: [...skills.values()] };
}

import { modelDescription, modelLine, type Skill } from '@ambit/core';
import { partsOfId, splitSkillFile } from '@ambit/core/skill';
import { readListedFile } from '@ambit/runtime';
import { type Skill as Entry, SKILL_LIMITS } from '@modelcontextprotocol/server/ext/skills';
import { whileSame } from '../../while-same.ts';
import { utf8 } from '../../wire/utf8.ts';
import { skillUri } from './skill-uri.ts';

/** A skill as an entry of the skills extension; `undefined` if it cannot be represented. */
export type SkillEntries = (skill: Skill) => Promise<Entry | undefined>;

/**
 * Creates the entries of skills: the frontmatter as written (for an untrusted skill only the fields
 * that the specification defines, escaped and bounded), and the SHA-256 of each file. Skills of
 * more than 512 files or 16 MiB, without frontmatter, with frontmatter that is not YAML, or with a name other
 * than the one in their id have no entry. Entries are cached per skill object.
 */
export function skillEntries(): SkillEntries {
  return whileSame(entryOf);
}

async function entryOf(skill: Skill): Promise<Entry | undefined> {
  const { files, id } = skill;
  const bytes = files.reduce((sum, file) => sum + file.bytes, 0);
  if (files.length > SKILL_LIMITS.files || bytes > SKILL_LIMITS.bytes) return undefined;
  const frontmatter = await frontmatterOf(skill);
  const { name } = partsOfId(id);
  if (frontmatter?.['name'] !== name || typeof frontmatter['description'] !== 'string') return undefined;
  return {
    uri: skillUri(skill, 'SKILL.md'),
    frontmatter:
      skill.tier === 'untrusted'
        ? strangersFrontmatter(skill)
        : { ...frontmatter, name, description: frontmatter['description'] },
    resources: files.map(({ path, bytes: size, sha256 }) => ({
      uri: skillUri(skill, path),
      digest: `sha256:${sha256}`,
      size,
    })),
  };
}

const [fieldCharactersMax, metadataMax] = [500, 16];

function strangersFrontmatter(skill: Skill): Entry['frontmatter'] {
  const { license, compatibility, metadata } = skill.manifest;
  const line = (text: string) => modelLine(text, fieldCharactersMax);
  const entries = Object.entries(metadata).slice(0, metadataMax);
  return {
    name: partsOfId(skill.id).name,
    description: modelDescription(skill),
    license: license === undefined ? undefined : line(license),
    compatibility: compatibility === undefined ? undefined : line(compatibility),
    metadata: entries.length === 0 ? undefined : Object.fromEntries(entries.map((pair) => pair.map(line))),
  };
}

async function frontmatterOf(skill: Skill): Promise<Record<string, unknown> | undefined> {
  const file = skill.files.find(({ path }) => path === 'SKILL.md');
  const content = file === undefined ? undefined : await readListedFile(skill, file).catch(() => undefined);
  if (content === undefined) return undefined;
  try {
    const { fields, mistakes } = splitSkillFile(utf8(content) ?? '');
    // A client reads the served file itself, and must find what is listed.
    if (mistakes.length > 0) return undefined;
    // A YAML anchor can contain itself, which JSON cannot; this throws for it.
    return JSON.parse(JSON.stringify(fields ?? null)) ?? undefined;
  } catch {
    return undefined;
  }
}

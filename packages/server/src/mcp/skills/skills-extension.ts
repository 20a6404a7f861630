import { modelDescription, type Skill } from '@ambit/core';
import { modelLine, type SkillFile, tierMark } from '@ambit/core/internal';
import { readListedFile } from '@ambit/runtime';
import type { ListResourcesResult, Resource } from '@modelcontextprotocol/server';
import { type SkillReadResult, SkillsExtension } from '@modelcontextprotocol/server/ext/skills';
import { utf8 } from '../../wire/utf8.ts';
import type { McpCaller, McpDeps } from '../mcp-deps.ts';
import { type Page, pageOf } from '../page.ts';
import { seenSkill, seenSkills } from '../seen-skills.ts';
import { tierMeta } from '../tier-meta.ts';
import type { SkillEntries } from './skill-entry.ts';
import { readSkillUri, skillUri } from './skill-uri.ts';

const entriesMax = 100;
const resourcesMax = 1000;

/** For how long a client may keep what it was told; whom it may tell it to is nobody else. */
const cacheHint = { ttlMs: 5000, cacheScope: 'private' } as const;

/**
 * The skills that a caller sees as `io.modelcontextprotocol/skills` has them, and their files as resources. A file is
 * handed out only while it is what the skill's entry says; what is not there any more is as unknown as what never was.
 */
export function skillsExtension(deps: McpDeps, caller: McpCaller, entryOf: SkillEntries): SkillsExtension {
  const skillAt = async (uri: string): Promise<{ skill: Skill; path: string } | undefined> => {
    const place = readSkillUri(uri);
    if (place === undefined) return undefined;
    const skill = await seenSkill(deps, caller, place.id).catch(() => undefined);
    return skill === undefined ? undefined : { skill, path: place.path };
  };
  return new SkillsExtension({
    cacheHint,
    // A skill that has no place in it is told of by list_skills all the same.
    onWarning: () => undefined,
    source: {
      async list({ cursor }) {
        const page = pageOf(await seenSkills(deps, caller), ({ id }) => id, cursor, entriesMax);
        const entries = await Promise.all(page.items.map(entryOf));
        return { skills: entries.filter((entry) => entry !== undefined), ...next(page) };
      },
      async get(uri) {
        const at = await skillAt(uri);
        return at?.path === 'SKILL.md' ? await entryOf(at.skill) : undefined;
      },
      async read(uri) {
        const at = await skillAt(uri);
        const file = at?.skill.files.find(({ path }) => path === at.path);
        return at === undefined || file === undefined ? undefined : await contentOf(at.skill, file);
      },
      async readDirectory(uri, { cursor }) {
        const at = await skillAt(uri);
        const children = at === undefined ? [] : childrenOf(at.skill, at.path);
        if (children.length === 0) return undefined;
        const page = pageOf(children, (child) => child.uri, cursor, resourcesMax);
        return { resources: page.items, ...next(page) };
      },
    },
  });
}

/** The instructions of each skill as a resource, in pages, which the extension's own list has not. */
export async function listResources(
  deps: McpDeps,
  caller: McpCaller,
  cursor: string | undefined,
): Promise<ListResourcesResult> {
  const page = pageOf(await seenSkills(deps, caller), ({ id }) => id, cursor, resourcesMax);
  const resources = page.items.map((skill) => ({
    uri: skillUri(skill, 'SKILL.md'),
    name: skill.id,
    title: tierMark(skill.tier) + skill.id,
    description: modelDescription(skill),
    mimeType: 'text/markdown',
    _meta: tierMeta(skill),
  }));
  return { resources, ...next(page) };
}

function next({ nextCursor }: Page<unknown>): { nextCursor?: string } {
  return nextCursor === undefined ? {} : { nextCursor };
}

async function contentOf(skill: Skill, file: SkillFile): Promise<SkillReadResult | undefined> {
  const bytes = await readListedFile(skill, file).catch(() => undefined);
  if (bytes === undefined) return undefined;
  const text = utf8(bytes);
  return text === undefined ? { bytes } : { text, mimeType: textType(file.path) };
}

function textType(path: string): string {
  return path.endsWith('.md') ? 'text/markdown' : 'text/plain';
}

/** What lies in a folder of a skill: its files, and the folders that files lie in. Empty: it is no folder. */
function childrenOf(skill: Skill, folder: string): Resource[] {
  const prefix = folder === '' ? '' : `${folder}/`;
  const below = skill.files.filter(({ path }) => path.startsWith(prefix));
  const names = new Map(
    below.map((file) => {
      const [name = '', ...deeper] = file.path.slice(prefix.length).split('/');
      return [name, deeper.length === 0 ? file : undefined];
    }),
  );
  return [...names].map(([name, file]) => ({
    uri: skillUri(skill, `${prefix}${name}`),
    name: modelLine(name),
    ...(file === undefined ? { mimeType: 'inode/directory' } : { size: file.bytes }),
  }));
}

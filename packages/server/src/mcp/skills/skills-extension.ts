import { modelDescription, modelLine, type Skill } from '@ambit/core';
import { tierMark } from '@ambit/core/prompt';
import { type SkillFile, skillFileOf } from '@ambit/core/skill';
import { readListedFile } from '@ambit/runtime';
import type { ListResourcesResult, Resource } from '@modelcontextprotocol/server';
import { type SkillReadResult, SkillsExtension } from '@modelcontextprotocol/server/ext/skills';
import { utf8 } from '../../wire/utf8.ts';
import type { McpCaller, McpDeps } from '../request/mcp-deps.ts';
import { type Page, pageOf } from '../request/page.ts';
import { seenSkill, seenSkills, tierMeta } from '../request/seen-skills.ts';
import type { SkillEntries } from './skill-entry.ts';
import { readSkillUri, skillUri } from './skill-uri.ts';

const entriesMax = 100;
const resourcesMax = 1000;

function isThere({ files }: Skill, path: string): boolean {
  return path === '' || files.some((file) => file.path === path || file.path.startsWith(`${path}/`));
}

/** The time that a client may cache these responses, privately. */
const cacheHint = { ttlMs: 5000, cacheScope: 'private' } as const;

/**
 * The skills that a caller may see, as `io.modelcontextprotocol/skills`, and their files as
 * resources. A file is served only while it matches the skill's entry; a missing file is reported
 * as unknown.
 */
export function skillsExtension(deps: McpDeps, caller: McpCaller, entryOf: SkillEntries): SkillsExtension {
  const skillAt = async (uri: string): Promise<{ skill: Skill; path: string } | undefined> => {
    for (const { id, path } of readSkillUri(uri)) {
      const skill = await seenSkill(deps, caller, id).catch(() => undefined);
      // A name alone finds a skill of any namespace.
      if (skill?.id === id && isThere(skill, path)) return { skill, path };
    }
    return undefined;
  };
  return new SkillsExtension({
    cacheHint,
    // A skill without an entry is still listed by list_skills.
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

/**
 * The instructions of each skill as a resource, in pages; the extension's own list does not have
 * them.
 */
export async function listResources(
  deps: McpDeps,
  caller: McpCaller,
  cursor: string | undefined,
): Promise<ListResourcesResult> {
  const page = pageOf(await seenSkills(deps, caller), ({ id }) => id, cursor, resourcesMax);
  const resources = page.items.map((skill) => ({
    uri: skillUri(skill, skillFileOf(skill)),
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

/** The files and folders directly in a folder of a skill. Empty if there is no such folder. */
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
    mimeType: file === undefined ? 'inode/directory' : undefined,
    size: file?.bytes,
  }));
}

import { SkillQuery } from '@ambit/api';
import { modelDescription, modelLine, modelSchema, payloadSchema, type Skill, SkillError } from '@ambit/core';
import { estimateTokens } from '@ambit/core/prompt';
import { callableScripts, runnablePackages } from '@ambit/core/skill';
import { z } from 'zod';
import { isById } from '../../prompts/find-skills.ts';
import { toolName } from '../../wire/tool/tool-name.ts';
import type { McpDeps } from '../request/mcp-deps.ts';
import { seenSkills } from '../request/seen-skills.ts';
import { leftOutTools, whyNoTool } from '../skills/why-no-tool.ts';
import { type FixedTool, fixedTool } from '../tool/fixed-tool.ts';
import { textResult } from '../tool/result.ts';
import { isRunSkill } from './skill-tool.ts';

const pageSkillsMax = 20;

/** The tokens of a page's skills. What else is in a page has less than 300. */
const pageTokensMax = 2700;

/** The arguments of `list_skills`: the filters of a catalog, and the page. */
const PageQuery = SkillQuery.omit({ executable: true }).extend({
  cursor: z
    .string()
    .max(500)
    .optional()
    .describe('The nextCursor of the previous page, with the same filters.'),
});

/** The tool that finds skills for a task, a page at a time. */
export const listSkills: FixedTool = fixedTool('list_skills', {
  description: `Finds skills for a task, or lists them all, ${pageSkillsMax} at a time. Search with words of the task (q), for example "merge two PDFs": the best matches come first. Or filter by phase or agent of your work, or by tag. Load a skill with load_skill before a task that fits its description.`,
  schema: PageQuery,
  async run(deps, caller, { cursor, ...query }) {
    const skills = await seenSkills(deps, caller, query);
    const from = cursor === undefined ? 0 : startAfter(readCursor(cursor), skills, isById(query));
    const listed = fittedList(skills.slice(from, from + pageSkillsMax), deps);
    const next = from + listed.length;
    const last = skills[next - 1];
    return textResult(
      JSON.stringify({
        skills: listed,
        total: skills.length,
        nextCursor: next < skills.length && last !== undefined ? writeCursor(next, last) : undefined,
        hint: skills.length === 0 ? emptyHint(query) : undefined,
        toolsLeftOut: leftOutTools(skills, deps),
      }),
    );
  },
});

/** The place after a page: how many skills came before it, and the id of the last one. */
interface Place {
  count: number;
  lastId: string;
}

function writeCursor(count: number, { id }: Skill): string {
  return Buffer.from(`${count} ${id}`).toString('base64url');
}

function readCursor(cursor: string): Place {
  const [, count, lastId] = /^(\d{1,9}) (.+)$/.exec(Buffer.from(cursor, 'base64url').toString()) ?? [];
  if (count !== undefined && lastId !== undefined) return { count: Number(count), lastId };
  throw new SkillError(
    'INPUT_INVALID',
    'invalid arguments for list_skills: the cursor is none of list_skills; leave it out to start from the first page',
  );
}

/**
 * The start of a page. By id, no remaining skill is lost if skills have changed since the page before. In a ranking, the
 * page starts after the last skill of that page, or at its place if that skill is gone.
 */
function startAfter({ count, lastId }: Place, skills: readonly Skill[], byId: boolean): number {
  const at = skills.findIndex(({ id }) => (byId ? id > lastId : id === lastId));
  if (byId) return at === -1 ? skills.length : at;
  return at === -1 ? count : at + 1;
}

function emptyHint({ q = '', phase, agent, tag }: SkillQuery): string {
  const filters = (phase ?? agent ?? tag) === undefined ? '' : ' without phase, agent and tag,';
  if (q !== '')
    return `No skill has any of these words. Search${filters} with other words, or list all without q.`;
  return filters === '' ? 'There are no skills.' : 'No skill fits these filters. Search with q instead.';
}

/** The levels of detail of an entry. The first one is short for every skill. */
const details: readonly Detail[] = [
  { descriptionMax: 120, tagsMax: 3, scriptsMax: 3, pathMax: 60, schemas: false },
  { descriptionMax: 300, tagsMax: 8, scriptsMax: 8, pathMax: 200, schemas: false },
  { descriptionMax: 1024, tagsMax: 32, scriptsMax: 32, pathMax: 4096, schemas: true },
];

interface Detail {
  descriptionMax: number;
  tagsMax: number;
  scriptsMax: number;
  pathMax: number;
  schemas: boolean;
}

/** As many of the skills as fit a page, with more detail as long as there is room, the first ones first. */
function fittedList(skills: readonly Skill[], deps: McpDeps): object[] {
  const [brief, ...fuller] = details.map((detail) => (skill: Skill) => sized(listed(skill, deps, detail)));
  if (brief === undefined) return [];
  const page: Sized[] = [];
  let tokens = 0;
  for (const skill of skills) {
    const entry = brief(skill);
    if (tokens + entry.tokens > pageTokensMax && page.length > 0) break;
    page.push(entry);
    tokens += entry.tokens;
  }
  for (const inDetail of fuller) {
    for (const [at, { tokens: before }] of page.entries()) {
      const skill = skills[at];
      const entry = skill && inDetail(skill);
      if (entry === undefined || tokens - before + entry.tokens > pageTokensMax) continue;
      page[at] = entry;
      tokens += entry.tokens - before;
    }
  }
  return page.map(({ entry }) => entry);
}

interface Sized {
  entry: object;
  tokens: number;
}

function sized(entry: object): Sized {
  return { entry, tokens: estimateTokens(JSON.stringify(entry)) + 1 };
}

/** The fields by which a model chooses a skill, and how to run it. */
function listed(skill: Skill, deps: McpDeps, detail: Detail): object {
  const { id, alias, sidecar, tier } = skill;
  const { descriptionMax, tagsMax } = detail;
  return {
    name: id,
    alias,
    description: modelDescription(skill, descriptionMax),
    version: sidecar.version ?? null,
    tier,
    tags: sidecar.tags.slice(0, tagsMax).map((tag) => modelLine(tag, 64)),
    tagsLeftOut: leftOut(sidecar.tags, tagsMax),
    ...waysToRun(skill, deps, detail),
  };
}

/** The ways to run a skill. Empty if it cannot be run. */
function waysToRun(skill: Skill, deps: McpDeps, { scriptsMax, pathMax, schemas }: Detail): object {
  if (whyNoTool(skill, deps) !== undefined) return {};
  const runs = Object.entries(skill.sidecar.namedRuns);
  const entries = (schemas ? runs : runs.slice(0, scriptsMax)).map((run) => listedEntry(run, schemas));
  const packages = runnablePackages(skill).map((name) => `-m ${name}`);
  const scripts = [...callableScripts(skill).map(({ path }) => path), ...packages];
  const paths = scripts.slice(0, scriptsMax).map((script) => modelLine(script, pathMax));
  return {
    tool: isRunSkill(skill) ? toolName(skill.id) : undefined,
    entries: entries.length > 0 ? entries : undefined,
    entriesLeftOut: schemas ? undefined : leftOut(runs, scriptsMax),
    scripts: scripts.length > 0 ? paths : undefined,
    scriptsLeftOut: leftOut(scripts, scriptsMax),
  };
}

/** An entry of `run.scripts`: its description, and its input schema if it takes JSON. */
function listedEntry(
  [script, { run, description }]: [string, Skill['sidecar']['namedRuns'][string]],
  schemas: boolean,
): object {
  const input = run.protocol === 'json' ? modelSchema(payloadSchema(run.input) ?? true).schema : undefined;
  return {
    script,
    description: description === undefined ? undefined : modelLine(description, schemas ? undefined : 80),
    input: schemas ? input : undefined,
    inputLeftOut: schemas || input === undefined ? undefined : true,
  };
}

function leftOut(all: readonly unknown[], max: number): number | undefined {
  return all.length > max ? all.length - max : undefined;
}

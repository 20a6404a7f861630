import { realpath } from 'node:fs/promises';
import { dirname } from 'node:path';
import { setImmediate as nextTurn } from 'node:timers/promises';
import type { PromptBody } from '@ambit/api';
import {
  type Catalog,
  type Composition,
  type Selection,
  type SelectionRequest,
  type Skill,
  SkillError,
} from '@ambit/core';
import type { Actor } from '@ambit/core/audit';
import { executionQueue } from '@ambit/core/execute';
import { liesWithin } from '@ambit/core/policy';
import { type GatheredContext, promptComposer, withFallback } from '@ambit/core/prompt';
import { agentIndexer, type SkillIndexEntry, skillSearch, skillSelector } from '@ambit/core/select';
import { gatherContext, type Sandbox } from '@ambit/runtime';
import type { Config } from '../config/config.ts';
import type { ComposedPrompt } from '../wire/answer/prompt.ts';
import { cachedSelections } from './cached-selections.ts';

/**
 * Selects skills and composes prompts with the current configuration, from its catalog or from
 * `from`, a part of it.
 */
export interface Prompts {
  select(request: SelectionRequest, from?: Pick<Catalog, 'list'>): Promise<Selection>;
  /**
   * The skills that have any of these words, the best match first; all of them, in their order, if `words` has no word.
   * A skill is indexed at its first search, and again once it has changed.
   */
  search(skills: readonly Skill[], words: string): Promise<readonly Skill[]>;
  /**
   * For `by`, or from the whole catalog for the operator. Rejects with `CAPABILITY_DENIED` if the
   * operator does not allow context from the given folder, and with `OVERLOADED` if too many callers
   * are waiting for context.
   */
  compose(request: PromptBody, signal: AbortSignal, by?: PromptCaller): Promise<ComposedPrompt>;
}

/** The caller of a composition, and the skills that it can see. */
interface PromptCaller {
  actor: Actor;
  catalog: Pick<Catalog, 'list'>;
  /** Whether it is the user of this process, who may gather context from any folder. */
  isUser: boolean;
}

export interface PromptsOptions {
  config: Pick<Config, 'file' | 'index' | 'phases' | 'agents' | 'mcpServers' | 'dataDir'>;
  catalog: Catalog;
  /** The sandbox for git, opened at first use. Absent: git does not run, and a git status is unavailable. */
  sandbox?(): Promise<Sandbox>;
  /** The folders from which context may be gathered. `anywhere`: for callers with the rights of this process. */
  contextRoots: readonly string[] | 'anywhere';
}

/** Prepared once per state of a catalog. */
interface PreparedPrompts {
  select(request: SelectionRequest): Selection;
  indexOf(agent: string | undefined): readonly SkillIndexEntry[];
}

/** Skills that are indexed in one turn of the event loop: some milliseconds. */
const addedPerTurn = 16;

/** Selects skills from a catalog, searches them and composes prompts. */
export function prompts({ config, catalog, sandbox, contextRoots }: PromptsOptions): Prompts {
  const counted = new WeakMap<Skill, number>();
  const composer = indexBase(config).then((folder) => promptComposer(undefined, folder));
  /** The actor of a command, which has this process to itself. */
  const localActor = '';
  // Gathering reads files and may start git.
  const gathering = executionQueue({ concurrency: 4, concurrencyPerSkill: 4, queue: 256 });
  const prepared = new WeakMap<readonly Skill[], PreparedPrompts>();
  const index = skillSearch();

  const prepare = async (from: Pick<Catalog, 'list'> = catalog): Promise<PreparedPrompts> => {
    const skills = await from.list();
    const known = prepared.get(skills);
    if (known !== undefined) return known;
    const { phases, agents, mcpServers } = config;
    const made: PreparedPrompts = {
      select: cachedSelections(skillSelector({ skills, phases, agents, mcpServers }, undefined, counted)),
      indexOf: agentIndexer({ skills, agents }),
    };
    prepared.set(skills, made);
    return made;
  };

  const gather = async (
    { context }: Selection,
    place: PromptBody['context'],
    signal: AbortSignal,
    by: PromptCaller | undefined,
  ): Promise<GatheredContext | undefined> => {
    if (place === undefined) return undefined;
    const root = await allowedRoot(place.root, by?.isUser ? 'anywhere' : contextRoots);
    const lease = await gathering.enter({ skillId: 'context', actor: by?.actor ?? localActor }, signal);
    try {
      return await gatherContext(
        context.map(({ requirement }) => requirement),
        { ...place, root, hidden: [config.dataDir], sandbox: await sandbox?.() },
        signal,
      );
    } finally {
      lease?.release();
    }
  };

  return {
    select: async (request, from) => (await prepare(from)).select(request),
    async search(skills, words) {
      let added = 0;
      for (const skill of skills) {
        if (!index.add(skill)) continue;
        added += 1;
        if (added % addedPerTurn === 0) await nextTurn();
      }
      return index.rank(skills, words);
    },
    async compose(request, signal, by) {
      const { systemPrompt, active, disclosure, format, promptTokens, cut } = request;
      const { select, indexOf } = await prepare(by?.catalog);
      const selection = select(request);
      const composeAgain = await composer;
      const composed = composeAgain({
        systemPrompt,
        selection,
        active,
        disclosure,
        format,
        cut,
        indexLinesMax: config.index.maxLines ?? undefined,
        agentIndex: indexOf(request.agent),
        context: await gather(selection, request.context, signal, by),
        variables: { ...variablesOf(request), ...request.variables },
        budgetTokens: promptTokens,
      });
      const { fallbackPrompt, phase = '', iteration = 1 } = request;
      const composition =
        fallbackPrompt === undefined
          ? composed
          : withFallback(composed, fallbackPrompt, { phase, iteration });
      return { selection, composition, settings: await settingsOf(request, composition) };
    },
  };
}

/** The folder to which paths in an index are relative; `undefined`: they are absolute. Never rejects. */
async function indexBase({ file, index }: PromptsOptions['config']): Promise<string | undefined> {
  if (file === undefined || index.paths === 'absolute') return undefined;
  const folder = dirname(file);
  return realpath(folder).catch(() => folder);
}

/** The built-in variables of every template. */
function variablesOf({
  phase,
  agent,
  campaign,
  section,
  iteration,
}: PromptBody): Record<string, string | undefined> {
  return { phase, agent, campaign, section, iteration: iteration?.toString() };
}

/** Loads the agents' package only for a request that names an agent. */
async function settingsOf(request: PromptBody, { prompt, tools, mcpServers }: Composition) {
  if (request.for === undefined) return undefined;
  const { agentSettings } = await import('@ambit/agents');
  return agentSettings(request.for, {
    prompt,
    tools,
    mcpServers,
    model: request.model,
  });
}

/** The folder, with links resolved for a remote caller. */
async function allowedRoot(root: string, allowed: PromptsOptions['contextRoots']): Promise<string> {
  if (allowed === 'anywhere') return root;
  const place = await realpath(root).catch(() => undefined);
  const roots = await Promise.all(allowed.map((each) => realpath(each).catch(() => undefined)));
  // A missing folder is refused in the same way, so callers cannot find out which folders exist.
  if (place !== undefined && roots.some((each) => each !== undefined && liesWithin(place, each)))
    return place;
  throw new SkillError(
    'CAPABILITY_DENIED',
    `context root ${JSON.stringify(root.slice(0, 200))} is not below contextRoots or does not exist. To allow it: contextRoots: [${JSON.stringify(root.slice(0, 200))}]`,
  );
}

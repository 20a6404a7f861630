import { realpath } from 'node:fs/promises';
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
import { agentIndexer, liesWithin, promptComposer, skillSelector } from '@ambit/core/internal';
import { type GatheredContext, withFallback } from '@ambit/core/prompt';
import type { SkillIndexEntry } from '@ambit/core/select';
import { gatherContext, type Sandbox } from '@ambit/runtime';
import type { Config } from '../config/config.ts';
import type { PromptBody } from '../wire/prompt-body.ts';
import type { Prompts } from '../wire/prompts.ts';

export interface PromptsOptions {
  config: Config;
  catalog: Catalog;
  /** What git runs in; resolved when it is first needed. */
  sandbox(): Promise<Sandbox>;
  /** Where context may be gathered. `anywhere`: for who has the rights of this process anyway. */
  contextRoots: readonly string[] | 'anywhere';
}

/** What is made once for each state of a catalog. */
interface Prepared {
  select(request: SelectionRequest): Selection;
  indexOf(agent: string | undefined): readonly SkillIndexEntry[];
}

/** Selects and composes over one catalog; what a selection needs is prepared once for each state of it. */
export function prompts({ config, catalog, sandbox, contextRoots }: PromptsOptions): Prompts {
  const counted = new WeakMap<Skill, number>();
  const composeAgain = promptComposer();
  /** Who runs this program has it alone. */
  const nobodyElse = '';
  // Each gathering reads files and may start git.
  const gathering = executionQueue({ concurrency: 4, concurrencyPerSkill: 4, queue: 256 });
  const prepared = new WeakMap<readonly Skill[], Prepared>();

  const prepare = async (from: Pick<Catalog, 'list'> = catalog): Promise<Prepared> => {
    const skills = await from.list();
    const known = prepared.get(skills);
    if (known !== undefined) return known;
    const { phases, agents, mcpServers } = config;
    const made: Prepared = {
      select: skillSelector({ skills, phases, agents, mcpServers }, undefined, counted),
      indexOf: agentIndexer({ skills, agents }),
    };
    prepared.set(skills, made);
    return made;
  };

  const gather = async (
    { context }: Selection,
    place: PromptBody['context'],
    signal: AbortSignal,
    actor: Actor,
  ): Promise<GatheredContext | undefined> => {
    if (place === undefined) return undefined;
    const root = await allowedRoot(place.root, contextRoots);
    const turn = await gathering.enter({ skillId: 'context', actor }, signal);
    try {
      return await gatherContext(
        context.map(({ requirement }) => requirement),
        { ...place, root, hidden: [config.dataDir], sandbox: await sandbox() },
        signal,
      );
    } finally {
      turn?.release();
    }
  };

  return {
    select: async (request, from) => (await prepare(from)).select(request),
    async compose(request, signal, by) {
      const { systemPrompt, active, disclosure, format, promptTokens, cut } = request;
      const { select, indexOf } = await prepare(by?.catalog);
      const selection = select(request);
      const composed = composeAgain({
        ...{ systemPrompt, selection, active, disclosure, format, cut },
        agentIndex: indexOf(request.agent),
        context: await gather(selection, request.context, signal, by?.actor ?? nobodyElse),
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

/** What every template can name, besides what the caller brings. */
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
    ...{ prompt, tools, mcpServers },
    ...(request.model === undefined ? {} : { model: request.model }),
  });
}

/** The folder, without links where somebody else chose it. */
async function allowedRoot(root: string, allowed: PromptsOptions['contextRoots']): Promise<string> {
  if (allowed === 'anywhere') return root;
  const place = await realpath(root).catch(() => undefined);
  const roots = await Promise.all(allowed.map((each) => realpath(each).catch(() => undefined)));
  // One that is not there is refused alike, so that nobody finds out what is.
  if (place !== undefined && roots.some((each) => each !== undefined && liesWithin(place, each)))
    return place;
  throw new SkillError(
    'CAPABILITY_DENIED',
    `context is gathered only below contextRoots, and ${JSON.stringify(root.slice(0, 200))} is not, or is not there. To allow it: contextRoots: [${JSON.stringify(root.slice(0, 200))}]`,
  );
}

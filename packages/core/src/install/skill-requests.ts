import { type Item, items } from '../capability/items.ts';
import { canonicalJson } from '../json/canonical-json.ts';
import { toolsOf } from '../select/prepared/tools-of.ts';
import type { Sidecar } from '../skill/sidecar.ts';
import { isForModels, type Skill } from '../skill/skill.ts';
import { everyRun } from '../skill/tool-skill.ts';

/** One thing that a skill asks for, as in the lock file: `network api.example.com:443`. */
interface SkillRequest {
  text: string;
  /** The item of a capability; absent for anything else. */
  item?: Item;
  /** The definition that the text names: another definition is another request. */
  definition?: string;
}

/**
 * Lists a skill's requests, a line each, sorted: how it runs, its capabilities, and what it asks of agents and prompts. For
 * a skill of tier `untrusted`, what it asks for once it is approved.
 */
export function requestLines(skill: Skill): string[] {
  return linesOf(requestsOf(skill));
}

/** Lists what `after` asks for beyond `before`, a line each, sorted. Empty: it asks for the same or less. */
export function widenedRequests(before: Skill, after: Skill): string[] {
  const known = requestsOf(before);
  const wider = requestsOf(after).filter((request) => !known.some((each) => covers(each, request)));
  // Without a list of its own, a skill asks for every tool of the phase.
  const anyTool =
    toolsOf(before) !== undefined && toolsOf(after) === undefined
      ? [{ text: 'agent tools of any name' }]
      : [];
  const byModels = !isForModels(before) && isForModels(after) ? [{ text: 'calls by models' }] : [];
  return linesOf([...wider, ...anyTool, ...byModels, ...widenedPrompts(before.sidecar, after.sidecar)]);
}

/** The lists of a sidecar that limit which prompts have the skill. Empty: any. */
const scopes = { phases: 'phase', agents: 'agent', campaigns: 'campaign', sections: 'section' } as const;

/** Returns how `after` enters more prompts than `before`, enters them with its text, or removes other skills from them. */
function widenedPrompts(before: Sidecar, after: Sidecar): SkillRequest[] {
  const wider = Object.entries(scopes).flatMap(([list, scope]) => {
    const [known, now] = [before[list as keyof typeof scopes], after[list as keyof typeof scopes]];
    if (known.length === 0) return [];
    if (now.length === 0) return [`prompts of any ${scope}`];
    return now.filter((name) => !known.includes(name)).map((name) => `prompts of ${scope} ${name}`);
  });
  const isAlways = ({ injection: { mode, delivery } }: Sidecar): boolean =>
    mode === 'always' && delivery !== 'reference';
  const conflicts = after.conflicts.filter((id) => !before.conflicts.includes(id));
  return [
    ...wider,
    ...(isAlways(after) && !isAlways(before) ? ['prompts always with its text'] : []),
    ...conflicts.map((id) => `prompts without ${id}`),
    ...(after.idempotent === true && before.idempotent !== true ? ['another run after an interruption'] : []),
  ].map((text) => ({ text }));
}

function linesOf(requests: readonly SkillRequest[]): string[] {
  return [...new Set(requests.map(({ text }) => text))].sort();
}

function requestsOf(skill: Skill): SkillRequest[] {
  const runs = everyRun(skill.tier === 'untrusted' ? { ...skill, tier: 'verified' } : skill);
  const { mcpServers, context, tools = [] } = skill.sidecar;
  const others = [
    ...runs.map(({ runtime }) => `run ${runtime}`),
    ...context.map((each) => `context ${'path' in each ? `${each.type} ${each.path}` : each.type}`),
    ...[...skill.manifest.allowedTools, ...tools].map((name) => `agent tool ${name}`),
  ];
  return [
    ...runs.flatMap(({ capabilities }) =>
      items(capabilities).map((item) => ({ text: `${item.kind} ${item.text}`, item })),
    ),
    ...Object.entries(mcpServers).map(([name, server]) => ({
      text: `MCP server ${name}`,
      definition: canonicalJson(server),
    })),
    ...others.map((text) => ({ text })),
  ];
}

function covers(known: SkillRequest, request: SkillRequest): boolean {
  if (known.item !== undefined && request.item !== undefined) return known.item.covers(request.item);
  // Programs of the host can do everything that a module in WebAssembly can.
  if (known.definition !== request.definition) return false;
  return known.text === request.text || (known.text === 'run process' && request.text === 'run wasm');
}

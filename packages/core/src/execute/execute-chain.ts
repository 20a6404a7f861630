import type { Actor, EntryPoint } from '../audit/event-parts.ts';
import type { Narrowing } from '../grant/grant.ts';
import type { CommandOutput, Outcome, Usage } from '../outcome/outcome.ts';
import { SkillError } from '../outcome/skill-error.ts';
import { isBroken } from '../skill/catalog.ts';
import type { Skill, ToolSkill } from '../skill/skill.ts';
import { asToolSkill, calledScript, isPlainScript } from '../skill/tool-skill.ts';
import { heldWorkspaces } from '../workspace/held-workspace.ts';
import type { CallerInput, ExecuteDeps } from './call/execute-request.ts';
import type { ChainLink, ChainResult } from './chain-result.ts';
import { type ExecuteResult, executeSkill } from './execute-skill.ts';
import type { CallContext } from './executor/call-context.ts';
import type { RunEvent } from './executor/run-event.ts';

/** One skill of a chain, and the narrowing of its call. */
interface ChainStep {
  /** A UUIDv7 from the transport, for the link's own record. */
  executionId: string;
  skillId: string;
  /** For a skill with protocol command. */
  args?: readonly string[] | undefined;
  script?: string | undefined;
  /** In place of `script` and `args`. */
  command?: string | undefined;
  narrowing?: Narrowing | undefined;
}

/** A chain, parsed by a transport. */
export interface ChainRequest {
  /** The parent of every link's record. */
  executionId: string;
  via: EntryPoint;
  actor: Actor;
  /** The first skill's input: `input`, or `stdin` for protocol command, and `files`. */
  input: Pick<CallerInput, 'input' | 'stdin' | 'files'>;
  /** For every skill of the chain. */
  context?: CallContext | undefined;
  /** The workspace that all links run in, with no other call in between. Absent: each link has its own. */
  workspace?: string | undefined;
  steps: readonly ChainStep[];
  /** Called with a link's position when the start of its record is durable. */
  recorded?: ((position: number) => void) | undefined;
  /** Observes the events of each link, with its position. */
  onEvent?: ((position: number, event: RunEvent) => void) | undefined;
  /** Called when a link that ran ends. */
  linked?: ((link: ChainLink) => void) | undefined;
}

/**
 * Runs skills one after another. Each output becomes the next input: JSON unchanged, and for protocol
 * command stdout as stdin; bytes that are not text are base64 in JSON. A script without a run in the sidecar gets JSON as `input`, so its stdout is read as
 * JSON too. The first link that does not succeed ends the chain. Each link has
 * its own grant, and its own record under the chain's id.
 *
 * Throws `INPUT_INVALID` for a chain without steps. If a link is refused, throws its `SkillError` with
 * position and skill in the message and in `details`.
 */
export async function executeChain(
  deps: ExecuteDeps,
  request: ChainRequest,
  signal: AbortSignal,
): Promise<ChainResult> {
  const held = deps.workspaces && heldWorkspaces(deps.workspaces);
  try {
    return await runLinks(deps, { ...deps, workspaces: held }, request, signal);
  } finally {
    await held?.leave();
  }
}

async function runLinks(
  deps: ExecuteDeps,
  within: ExecuteDeps,
  request: ChainRequest,
  signal: AbortSignal,
): Promise<ChainResult> {
  const links: ChainLink[] = [];
  let carried: CallerInput = request.input;
  let last: ExecuteResult | undefined;
  for (const [index, step] of request.steps.entries()) {
    last = await runLink(within, request, step, index + 1, carried, links, signal);
    if (last.outcome.status !== 'succeeded') break;
    carried = await carriedTo(deps, request.steps[index + 1], last.outcome);
  }
  if (last === undefined) {
    throw new SkillError(
      'INPUT_INVALID',
      'a chain needs at least one step; write "steps": [{ "skill": "…" }]',
    );
  }
  const { executionId } = request;
  const { outcome } = last;
  const usage = total(links.map((link) => link.usage));
  const broken = outcome.status === 'succeeded' ? undefined : links.at(-1);
  if (broken === undefined) return { executionId, outcome, usage, links };
  const failedAt = { position: broken.position, skillId: broken.skillId };
  return { executionId, outcome, usage, failedAt, links };
}

async function runLink(
  deps: ExecuteDeps,
  { executionId: parentId, via, actor, context, workspace, recorded, onEvent, linked }: ChainRequest,
  { executionId, skillId, args, script, command, narrowing }: ChainStep,
  position: number,
  carried: CallerInput,
  links: ChainLink[],
  signal: AbortSignal,
): Promise<ExecuteResult> {
  const input = { ...carried, args, script, command, context };
  const call = {
    executionId,
    parentId,
    skillId,
    via,
    actor,
    input,
    workspace,
    narrowing,
    recorded: recorded && (() => recorded(position)),
    onEvent: onEvent && ((event: RunEvent) => onEvent(position, event)),
  };
  try {
    const result = await executeSkill(deps, call, signal);
    const { outcome, usage, audit, workspace: end } = result;
    const ran = { position, skillId, executionId, outcome: outcome.status, usage, audit };
    const link = end === undefined ? ran : { ...ran, workspace: end };
    links.push(link);
    linked?.(link);
    return result;
  } catch (error) {
    if (!(error instanceof SkillError)) throw error;
    throw new SkillError(error.code, `step ${position} (${skillId}): ${error.message}`, {
      cause: error,
      details: { ...error.details, position, skillId, links },
    });
  }
}

/** The output in the form of the next skill's protocol. A missing skill is refused when it is called. */
async function carriedTo(
  deps: ExecuteDeps,
  next: ChainStep | undefined,
  { output, encoding: ofText }: Extract<Outcome, { status: 'succeeded' }>,
): Promise<CallerInput> {
  if (next === undefined) return {};
  const { stdout: value, encoding } = isCommandOutput(output) ? output : { stdout: output, encoding: ofText };
  const found = await deps.catalog.find(next.skillId);
  const tool = found === undefined || isBroken(found) ? undefined : toolOf(found, next);
  if (tool === undefined || tool.run.protocol === 'json') return { input: value };
  if (typeof value === 'string') return { stdin: encoding === 'base64' ? bytesOf(value) : value };
  const text = new TextDecoder().decode((await deps.json.write(value)).bytes);
  // A JSON string is passed as its content.
  if (text.startsWith('"')) return { stdin: JSON.parse(text) };
  return isPlainScript(tool) ? { input: value } : { stdin: text };
}

/** `undefined` if the call is refused when it is made. */
function toolOf(skill: Skill, next: ChainStep): ToolSkill | undefined {
  try {
    return asToolSkill(skill, calledScript(skill, next).script);
  } catch (error) {
    if (error instanceof SkillError) return undefined;
    throw error;
  }
}

function bytesOf(base64: string): Uint8Array {
  return Uint8Array.from(atob(base64), (character) => character.charCodeAt(0));
}

function isCommandOutput(output: unknown): output is CommandOutput {
  const { exitCode, stdout, stderr } = (output ?? {}) as Record<string, unknown>;
  return exitCode === 0 && typeof stdout === 'string' && typeof stderr === 'string';
}

function total(usages: readonly Usage[]): Usage {
  const known = (key: keyof Usage): number[] | null => {
    const values = usages.map((usage) => usage[key]);
    return values.includes(null) ? null : (values as number[]);
  };
  const sum = (values: number[] | null): number | null => values?.reduce((a, b) => a + b, 0) ?? null;
  const memory = known('memoryPeakBytes');
  return {
    durationMs: sum(known('durationMs')) ?? 0,
    queueMs: sum(known('queueMs')) ?? 0,
    cpuMs: sum(known('cpuMs')),
    memoryPeakBytes: memory === null ? null : Math.max(...memory),
    fuelConsumed: sum(known('fuelConsumed')),
  };
}

import type { AgentTarget } from '@ambit/agents';
import { McpServers } from '@ambit/core/internal';
import { z } from 'zod';

const Name = z.string().max(200);
const Names = z.array(Name).max(1000);
const Path = z.string().min(1).max(4096);
const Tokens = z.int().min(0);

/** The agents whose settings can be asked for. Named here, so that the package is loaded only for a prompt that asks. */
export const agentTargets = [
  'claude-code',
  'claude-sdk',
  'codex',
  'opencode',
  'amp',
  'aider',
  'process',
] as const satisfies readonly AgentTarget[];

/** Which skills; what is absent does not narrow. */
const SelectionBody = z.strictObject({
  phase: Name.optional().describe('Skills for this phase, and those for any.'),
  agent: Name.optional().describe('Skills for this agent, and those for any.'),
  tags: Names.optional().describe('One in common is enough.'),
  campaign: Name.optional(),
  section: Name.optional(),
  only: Names.optional().describe('The only skills that are selected, with what they require; empty: none.'),
  include: Names.optional().describe('Skills that are selected whatever the rest says.'),
  exclude: Names.optional().describe('Skills that are not; wins over everything.'),
  budgetTokens: Tokens.optional().describe(
    'What the bodies of the selected skills may come to: all or nothing each, in order.',
  ),
  mcpServers: McpServers.optional().describe(
    "The agent's own MCP servers, by name; a skill's never takes the place of one.",
  ),
});

/** The body of `POST /prompt`, and what `ambit prompt` asks for. */
export const PromptBody = SelectionBody.extend({
  systemPrompt: z
    .string()
    .max(2 ** 20, 'at most 1,048,576 characters')
    .default('')
    .describe('The prompt that skills are put into, a template; absent: there is nothing but them.'),
  iteration: z
    .int()
    .min(1)
    .optional()
    .describe(
      "The turn of the agent's loop through the phase, from 1; `{{iteration}}` in the system prompt.",
    ),
  fallbackPrompt: z
    .string()
    .max(2 ** 20, 'at most 1,048,576 characters')
    .optional()
    .describe('What the prompt is, as it is, when nothing was composed: no system prompt and no skill.'),
  active: Names.optional().describe('Selected skills whose bodies are to be in it.'),
  disclosure: z
    .enum(['metadata', 'index', 'bodies'])
    .optional()
    .describe('What is told of the others; `metadata` unless given.'),
  format: z.enum(['xml', 'plain']).optional().describe('How bodies stand in it; `xml` unless given.'),
  variables: z
    .record(z.string(), z.union([z.string(), z.boolean()]))
    .optional()
    .describe('For `{{name}}` in the system prompt.'),
  promptTokens: Tokens.optional().describe('What the whole prompt may take.'),
  cut: z.enum(['whole', 'at-line']).optional().describe('How what does not fit is left out.'),
  context: z
    .strictObject({
      root: Path.startsWith('/', 'write an absolute path').describe(
        "The project's folder, absolute. Over HTTP within one of the operator's `contextRoots`.",
      ),
      item: z.unknown().optional().describe('The piece of work, as the caller keeps it.'),
      itemFolder: Path.optional().describe('Where the artefacts of earlier phases are; within `root`.'),
    })
    .optional()
    .describe('Where what the selected skills want to know is gathered. Absent: nothing is.'),
  for: z
    .enum(agentTargets)
    .optional()
    .describe('The agent for which the selection is to be written down, too.'),
  model: Name.optional().describe('As that agent calls it.'),
  explain: z
    .boolean()
    .default(false)
    .describe('Whether to say where every part comes from, and what was left out.'),
});
export type PromptBody = z.output<typeof PromptBody>;

import { McpServers } from '@ambit/core/skill';
import { z } from 'zod';

const Name = z.string().max(200);
const Names = z.array(Name).max(1000);
const Path = z.string().min(1).max(4096);
const Tokens = z.int().min(0);

/**
 * The agents with settings. Listed here so that their package is loaded only for a prompt that names
 * one.
 */
export const agentTargets = [
  'claude-code',
  'claude-sdk',
  'codex',
  'opencode',
  'amp',
  'aider',
  'process',
] as const;

/** Selects skills. An absent field does not filter. */
const SelectionBody = z.strictObject({
  phase: Name.optional().describe('Select skills for this phase, and skills for any phase.'),
  agent: Name.optional().describe('Select skills for this agent, and skills for any agent.'),
  tags: Names.optional().describe('Select skills with at least one of these tags.'),
  campaign: Name.optional(),
  section: Name.optional(),
  only: Names.optional().describe(
    'Select only these skills and their requirements; an empty list selects none.',
  ),
  include: Names.optional().describe('Always select these skills.'),
  exclude: Names.optional().describe('Never select these skills; wins over every other field.'),
  budgetTokens: Tokens.optional().describe(
    'The limit for the bodies of the selected skills together. Each body is included whole or not at all, in order.',
  ),
  mcpServers: McpServers.optional().describe(
    "The agent's own MCP servers, by name. A skill's server never replaces one.",
  ),
});

/** The body of `POST /prompt` and the input of `ambit prompt`. */
export const PromptBody = SelectionBody.extend({
  systemPrompt: z
    .string()
    .max(2 ** 20, 'at most 1,048,576 characters')
    .default('')
    .describe(
      'The template that the skills are inserted into. If absent, the prompt consists of the skills alone.',
    ),
  iteration: z
    .int()
    .min(1)
    .optional()
    .describe(
      "The turn of the agent's loop through the phase, from 1: `{{iteration}}` in the system prompt.",
    ),
  fallbackPrompt: z
    .string()
    .max(2 ** 20, 'at most 1,048,576 characters')
    .optional()
    .describe('The prompt to use, unchanged, when there is neither a system prompt nor a skill.'),
  active: Names.optional().describe('The selected skills whose bodies are included.'),
  disclosure: z
    .enum(['metadata', 'index', 'bodies'])
    .optional()
    .describe('How much to include of the other skills; `metadata` by default.'),
  format: z.enum(['xml', 'plain']).optional().describe('The format of bodies; `xml` by default.'),
  variables: z
    .record(z.string(), z.union([z.string(), z.boolean()]))
    .optional()
    .describe('Values for `{{name}}` in the system prompt.'),
  promptTokens: Tokens.optional().describe('The limit for the whole prompt.'),
  cut: z.enum(['whole', 'at-line']).optional().describe('How to leave out what does not fit.'),
  context: z
    .strictObject({
      root: Path.startsWith('/', 'must be an absolute path').describe(
        "The project's folder on the daemon's machine, as an absolute path. It must be below one of the operator's `contextRoots`, except for the daemon's own user on its private socket.",
      ),
      item: z.unknown().optional().describe("The work item, in the caller's format."),
      itemFolder: Path.optional().describe('The folder with the artifacts of earlier phases, below `root`.'),
    })
    .optional()
    .describe('Where to gather the context that the selected skills ask for. If absent, none is gathered.'),
  for: z.enum(agentTargets).optional().describe('Also return the settings for this agent.'),
  model: Name.optional().describe('The model, as that agent names it.'),
  explain: z
    .boolean()
    .default(false)
    .describe('Whether to return the source of each part, and what was left out.'),
});
export type PromptBody = z.output<typeof PromptBody>;

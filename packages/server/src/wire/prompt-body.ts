import { agentTargets, McpServers } from '@ambit/core';
import { z } from 'zod';

const Name = z.string().max(200);
const Names = z.array(Name).max(1000);
const Path = z.string().min(1).max(4096);
const Tokens = z.int().min(0);

/** Which skills; what is absent does not narrow. */
const SelectionBody = z.strictObject({
  phase: Name.optional(),
  agent: Name.optional(),
  /** One in common is enough. */
  tags: Names.optional(),
  campaign: Name.optional(),
  section: Name.optional(),
  /** The only skills that are selected, with what they require; empty: none. */
  only: Names.optional(),
  /** Skills that are selected whatever the rest says, and skills that are not. */
  include: Names.optional(),
  exclude: Names.optional(),
  /** What the bodies of the selected skills may come to: all or nothing each, in order. */
  budgetTokens: Tokens.optional(),
  /** The agent's own MCP servers, by name; a skill's never takes the place of one. */
  mcpServers: McpServers.optional(),
});

/** The body of `POST /prompt`, and what `ambit prompt` asks for. */
export const PromptBody = SelectionBody.extend({
  /** The prompt that skills are put into; absent: there is nothing but them. */
  systemPrompt: z
    .string()
    .max(2 ** 20, 'at most 1,048,576 characters')
    .default(''),
  /** Selected skills whose bodies are to be in it. */
  active: Names.optional(),
  disclosure: z.enum(['metadata', 'index', 'bodies']).optional(),
  format: z.enum(['xml', 'plain']).optional(),
  /** For `{{name}}` in the system prompt. */
  variables: z.record(z.string(), z.union([z.string(), z.boolean()])).optional(),
  /** What the whole prompt may take. */
  promptTokens: Tokens.optional(),
  cut: z.enum(['whole', 'at-line']).optional(),
  /** Where what the selected skills want to know is gathered. Absent: nothing is. */
  context: z
    .strictObject({
      /** The project's folder, absolute. Over HTTP within one of the operator's `contextRoots`. */
      root: Path.startsWith('/', 'write an absolute path'),
      /** The piece of work, as the caller keeps it. */
      item: z.unknown().optional(),
      /** Where the artefacts of earlier phases are; within `root`. */
      itemFolder: Path.optional(),
    })
    .optional(),
  /** The agent for which the selection is to be written down, too. */
  for: z.enum(agentTargets).optional(),
  model: Name.optional(),
  /** Whether to say where every part comes from, and what was left out. */
  explain: z.boolean().default(false),
});
export type PromptBody = z.output<typeof PromptBody>;

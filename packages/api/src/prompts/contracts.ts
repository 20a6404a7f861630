import { McpServers } from '@ambit/core/skill';
import { z } from 'zod';
import { json } from '../answer.ts';
import { defineContracts } from '../contract.ts';
import { PromptBody } from './prompt-body.ts';

const Tools = z
  .strictObject({
    allowed: z
      .union([z.literal('all'), z.array(z.string()).readonly()])
      .describe("In the phase's order. `all`: every tool of the agent."),
    withheld: z.array(z.string()).readonly().describe("The phase's tools that no selected skill asks for."),
    beyondPhase: z
      .array(z.strictObject({ tool: z.string(), skills: z.array(z.string()).readonly() }))
      .readonly()
      .describe('Tools that selected skills ask for and the phase does not have. The agent never gets them.'),
    from: z.enum(['configured', 'unnarrowed', 'unknown-phase', 'no-phase']),
  })
  .meta({ id: 'EffectiveTools', description: 'The allowed and withheld tools of an agent.' });

const Servers = z
  .strictObject({
    servers: McpServers,
    origins: z.record(z.string(), z.string()).readonly().describe('By server: the skill that provides it.'),
    refused: z
      .array(
        z.strictObject({
          server: z.string(),
          skill: z.string(),
          reason: z.string(),
          remedy: z.string().nullable().describe('The line of configuration that grants it.'),
        }),
      )
      .readonly(),
  })
  .meta({
    id: 'EffectiveMcpServers',
    description: 'The MCP servers of the agent and of its skills.',
  });

const Settings = z
  .strictObject({
    args: z.array(z.string()).readonly().exactOptional(),
    env: z.record(z.string(), z.string()).readonly().exactOptional(),
    files: z
      .array(z.strictObject({ path: z.string(), content: z.string() }))
      .readonly()
      .exactOptional(),
    options: z.record(z.string(), z.unknown()).readonly().exactOptional(),
    limits: z.array(z.string()).readonly().describe('What cannot be enforced for this agent.'),
  })
  .meta({
    id: 'TargetSettings',
    description: 'The settings that make one agent follow the selection.',
  });

const Part = z
  .strictObject({
    kind: z.enum(['base', 'metadata', 'index', 'skill', 'context']),
    origin: z.string(),
    because: z.string().describe('Why it is included.'),
    text: z.string(),
    tokens: z.number(),
    characters: z.number().describe('In UTF-16 code units.'),
    order: z.number().describe('From 1.'),
    isCut: z.boolean(),
  })
  .meta({
    id: 'PromptPart',
    description: 'A piece of the prompt. All parts, concatenated in order, are the prompt.',
  });

const LeftOut = z
  .strictObject({
    id: z.string(),
    what: z.enum(['skill', 'listing', 'body', 'context']),
    because: z.string(),
  })
  .meta({ id: 'LeftOut', description: 'Something that was left out of the prompt.' });

/** The response of `POST /prompt`. */
export const PromptAnswer = z
  .strictObject({
    prompt: z.string(),
    tokens: z.number(),
    skills: z
      .array(
        z.strictObject({
          id: z.string(),
          version: z.string().nullable(),
          digest: z.string(),
          because: z.string(),
        }),
      )
      .readonly()
      .describe('The selected skills, in order.'),
    tools: Tools,
    mcpServers: Servers,
    warnings: z.array(z.string()).readonly(),
    settings: Settings.exactOptional().describe('Present if `for` names an agent.'),
    parts: z.array(Part).readonly().exactOptional().describe('Present with `explain`, like `leftOut`.'),
    leftOut: z.array(LeftOut).readonly().exactOptional(),
  })
  .meta({ id: 'PromptAnswer', description: 'A prompt and its sources.' });
export type PromptAnswer = z.output<typeof PromptAnswer>;

/** Prompts from the skills of a phase or an agent. */
export const promptContracts = defineContracts('Prompts', {
  composePrompt: {
    method: 'POST',
    url: '/prompt',
    scope: 'prompt',
    stepUp: 'none',
    summary: 'Compose a prompt',
    description:
      'Selects skills for a phase or an agent and composes a prompt from them. An absent field does not filter.',
    body: PromptBody,
    bodyExample: { phase: 'implement', systemPrompt: 'You are a careful engineer.', explain: true },
    answers: { 200: json('The prompt.', PromptAnswer) },
    problems: ['CAPABILITY_DENIED', 'OVERLOADED'],
  },
});

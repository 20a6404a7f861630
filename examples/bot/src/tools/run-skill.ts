import type { AmbitClient, ExecuteRequest } from '@ambit/client';
import { modelDescription, modelSchema, payloadSchema, type Skill } from '@ambit/core';
import { dynamicTool, type JSONSchema7, jsonSchema, type Tool } from 'ai';
import { answerText, refusalText } from '../daemon/answer-text.ts';

/**
 * The tool that runs a skill in the daemon. The daemon checks the input; the model gets its
 * response or refusal.
 */
export function runSkill(skill: Skill, ambit: Daemon): Tool {
  const { schema, bodyOf } = callOf(skill);
  return dynamicTool({
    description: modelDescription(skill),
    inputSchema: jsonSchema(schema),
    async execute(given, { abortSignal: signal }) {
      const { input, ...request } = bodyOf(given);
      // The model must not choose call options.
      const options = { ...request, idempotencyKey: undefined, timeoutMs: undefined, signal };
      try {
        return answerText(skill.id, await ambit.execute(skill.id, input, options));
      } catch (error) {
        return refusalText(skill.id, error);
      }
    },
  });
}

/** Runs tool skills. */
export type Daemon = Pick<AmbitClient, 'execute'>;

/** The tool's input schema, and the request made from the input. */
interface Call {
  schema: JSONSchema7;
  bodyOf(given: unknown): ExecuteRequest & { input?: unknown };
}

function callOf({ sidecar: { run }, scripts }: Skill): Call {
  // A skill without `run` is called by its scripts; see `asToolSkill`.
  if (run === undefined) return command(scripts.map(({ path }) => path));
  if (run.protocol === 'command') return command([]);
  // Texts in a schema are the skill's own, like its description.
  const payload = payloadSchema(run.input);
  const input = payload && modelSchema(payload).schema;
  if (isPlainObjectSchema(input)) return { schema: input, bodyOf: (given) => ({ input: given }) };
  // Providers accept only an object schema.
  const description = `JSON${input === undefined ? '' : ` that fits this schema: ${JSON.stringify(input)}`}`;
  return {
    schema: { type: 'object', properties: { input: { description } }, required: ['input'] },
    bodyOf: (given) => given as object,
  };
}

const refusedAtTheTop = ['$ref', 'oneOf', 'anyOf', 'allOf', 'enum', 'not'];

function isPlainObjectSchema(schema: unknown): schema is JSONSchema7 {
  if (typeof schema !== 'object' || schema === null || !('type' in schema)) return false;
  return schema.type === 'object' && !refusedAtTheTop.some((key) => key in schema);
}

function command(scripts: readonly string[]): Call {
  const text = { type: 'string' } as const;
  return {
    schema: {
      type: 'object',
      properties: {
        args: { type: 'array', items: text, description: 'The arguments of the command.' },
        stdin: text,
        files: {
          type: 'array',
          description: 'Files to put into its working directory.',
          items: {
            type: 'object',
            properties: { path: text, text },
            required: ['path', 'text'],
            additionalProperties: false,
          },
        },
        ...(scripts.length > 1 && { script: { type: 'string', enum: [...scripts] } }),
      },
      additionalProperties: false,
    },
    bodyOf: (given) => given as object,
  };
}

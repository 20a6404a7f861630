import type { AmbitClient, ExecuteRequest } from '@ambit/client';
import { modelDescription, modelSchema, payloadSchema, type Skill } from '@ambit/core';
import { dynamicTool, type JSONSchema7, jsonSchema, type Tool } from 'ai';
import { answerText, refusalText } from '../daemon/answer-text.ts';

/** The tool that runs a skill in the daemon. The daemon checks the input; its answer, or its refusal, goes to the model. */
export function runSkill(skill: Skill, ambit: Daemon): Tool {
  const { schema, bodyOf } = callOf(skill);
  return dynamicTool({
    description: modelDescription(skill),
    inputSchema: jsonSchema(schema),
    async execute(given, { abortSignal: signal }) {
      const { input, ...request } = bodyOf(given);
      // How the call is made is not the model's to say.
      const options = { ...request, idempotencyKey: undefined, timeoutMs: undefined, signal };
      try {
        return answerText(skill.id, await ambit.execute(skill.id, input, options));
      } catch (error) {
        return refusalText(skill.id, error);
      }
    },
  });
}

/** What runs tool skills. */
export type Daemon = Pick<AmbitClient, 'execute'>;

/** What the model writes, and what is sent for it. */
interface Call {
  schema: JSONSchema7;
  bodyOf(given: unknown): ExecuteRequest & { input?: unknown };
}

function callOf({ sidecar: { run }, scripts }: Skill): Call {
  // One without a `run` is called by its scripts; see `asToolSkill`.
  if (run === undefined) return command(scripts.map(({ path }) => path));
  if (run.protocol === 'command') return command([]);
  // What is for reading in a schema is a skill's own text, like its description.
  const payload = payloadSchema(run.input);
  const input = payload && modelSchema(payload).schema;
  if (isPlainObjectSchema(input)) return { schema: input, bodyOf: (given) => ({ input: given }) };
  // Providers take nothing but an object at the top.
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

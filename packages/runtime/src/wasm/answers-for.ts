import { isUtf8 } from 'node:buffer';
import { SkillError } from '@ambit/core';
import { type Grant, type RunInput, recall, type SkillState, StateError } from '@ambit/core/execute';
import { ProxyRefusal } from '../egress/call/refusal.ts';
import type { CallProxy } from '../egress/call-proxy.ts';
import type { ProxyResponse } from '../egress/call-request.ts';
import { readSkillFile } from './entry/read-skill-file.ts';
import { HttpFailed, httpAnswer } from './http-answer.ts';
import type { HostReply } from './pool/wasm-host.ts';

/** The largest file that a skill can read from its own folder. */
const fileBytesMax = 16 * 1024 * 1024;
/** Bounds the search: each word is searched in all memory, on this thread. */
const queryCharactersMax = 1000;

/**
 * Answers the host functions of one call that only the daemon can: state, memory, the network, the
 * skill's own files. Checks the grant here, outside the skill's process. Never rejects.
 */
export function answersFor(
  grant: Grant,
  { context }: RunInput,
  state: SkillState | undefined,
  callProxy: CallProxy | undefined,
): (name: string, args: readonly unknown[]) => Promise<HostReply> {
  const { skill, capabilities } = grant;

  const answer = async (name: string, args: readonly unknown[]): Promise<HostReply> => {
    switch (name) {
      case 'state_get':
        if (state === undefined || capabilities.state === 'none')
          return violated('state', 'state_get needs state: read', 'read');
        return given(await state.get(skill.id, textAt(args, 0)));
      case 'state_set':
        if (state === undefined || capabilities.state !== 'write')
          return violated('state', 'state_set needs state: write', 'write');
        return given(await state.set(skill.id, textAt(args, 0), args[1]));
      case 'recall_memory':
        return given(capabilities.memory === 'read' ? recall(context?.caller ?? {}, queryAt(args, 0)) : []);
      case 'http_request':
        if (callProxy === undefined)
          return violated('network', `http_request asks for ${ruleFor(args[0])}`, ruleFor(args[0]));
        return httpReply(await httpAnswer(callProxy, args[0]));
      case 'read_file':
        return {
          frame: { type: 'answer', value: null, body: 'value' },
          body: await ownText(grant, textAt(args, 0)),
        };
      case 'skill_files':
        return given(skill.files.map(({ path, bytes }) => ({ path, bytes })));
      case 'skill_file':
        return {
          frame: { type: 'answer', value: null, body: 'bytes' },
          body: await ownFile(grant, textAt(args, 0)),
        };
      default:
        return { frame: { type: 'answer', message: `unknown host function ${name}` } };
    }
  };

  return async (name, args) => {
    try {
      return await answer(name, args);
    } catch (error) {
      return {
        frame: { type: 'answer', message: messageOf(error) },
        isRefused: error instanceof HttpFailed && error.cause instanceof ProxyRefusal,
      };
    }
  };
}

/** The rule that would permit the request, for the refusal's text; the egress proxy decides. */
function ruleFor(asked: unknown): string {
  const { url } = (asked ?? {}) as { url?: unknown };
  if (typeof url !== 'string' || !URL.canParse(url)) return 'the network';
  const { protocol, host, port } = new URL(url);
  const scheme = protocol === 'http:' ? 'http://' : port === '80' ? 'https://' : '';
  return port === '' ? `${scheme}${host}${scheme === '' ? ':443' : ''}` : `${scheme}${host}`;
}

function given(value: unknown): HostReply {
  return { frame: { type: 'answer', value: value ?? null } };
}

function httpReply({ status, headers, body }: ProxyResponse): HostReply {
  return {
    frame: { type: 'answer', value: { status, headers }, body: isUtf8(body) ? 'text' : 'base64' },
    body,
  };
}

function violated(capability: string, detail: string, item: string): HostReply {
  return { frame: { type: 'answer', violated: { capability, detail, item } } };
}

function textAt(args: readonly unknown[], index: number): string {
  const text = args[index];
  if (typeof text !== 'string') throw new ForSkill(`argument ${index + 1} is not a string`);
  return text;
}

function queryAt(args: readonly unknown[], index: number): string {
  const query = textAt(args, index);
  if (query.length > queryCharactersMax)
    throw new ForSkill(`a query has at most ${queryCharactersMax} characters`);
  return query;
}

/** The file that the skill's digest includes. */
async function ownFile({ skill }: Grant, path: string): Promise<Uint8Array> {
  const read = await readSkillFile(skill, path, fileBytesMax);
  if ('problem' in read) throw new ForSkill(`${path} ${read.problem}`);
  return read.bytes;
}

async function ownText(grant: Grant, path: string): Promise<Uint8Array> {
  const bytes = await ownFile(grant, path);
  if (!isUtf8(bytes)) throw new ForSkill(`${path} is not UTF-8`);
  return bytes;
}

/** An error whose message the skill may see. */
class ForSkill extends Error {}

/** Internal errors are not shown to the skill. */
function messageOf(error: unknown): string {
  if (error instanceof ForSkill || error instanceof StateError || error instanceof HttpFailed)
    return error.message;
  if (error instanceof SkillError && error.code === 'STORE_UNAVAILABLE') return 'the store is unavailable';
  return 'internal error';
}

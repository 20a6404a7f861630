import { isUtf8 } from 'node:buffer';
import type { Grant } from '@ambit/core/execute';
import { type RunInput, recall, type SkillState, StateError } from '@ambit/core/internal';
import type { CallProxy } from '../egress/call-proxy.ts';
import type { ProxyResponse } from '../egress/call-request.ts';
import { readSkillFile } from './entry/read-skill-file.ts';
import { HttpFailed, httpAnswer } from './http-answer.ts';
import type { HostReply } from './pool/wasm-host.ts';

/** What a skill reads of its own folder at a time. */
const fileBytesMax = 16 * 1024 * 1024;
/** Each of its words is looked for in all that is remembered, here, where others wait. */
const queryCharactersMax = 1000;

/**
 * Answers the host functions of one call that only the daemon can: state, memory, the network, the skill's own files. The grant is
 * looked at here, where nothing of the skill runs. Never rejects.
 */
export function answersFor(
  grant: Grant,
  { context }: RunInput,
  state: SkillState,
  callProxy: CallProxy | undefined,
): (name: string, args: readonly unknown[]) => Promise<HostReply> {
  const { skill, capabilities } = grant;

  const answer = async (name: string, args: readonly unknown[]): Promise<HostReply> => {
    switch (name) {
      case 'state_get':
        if (capabilities.state === 'none') return violated('state', 'state_get needs state: read', 'read');
        return given(await state.get(skill.id, textAt(args, 0)));
      case 'state_set':
        if (capabilities.state !== 'write') return violated('state', 'state_set needs state: write', 'write');
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
        return { frame: { type: 'answer', message: `there is no host function ${name}` } };
    }
  };

  return async (name, args) => {
    try {
      return await answer(name, args);
    } catch (error) {
      return { frame: { type: 'answer', message: messageOf(error) } };
    }
  };
}

/** The rule that would permit it, for the words of the refusal; the egress proxy decides. */
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
  if (typeof text !== 'string') throw new ForSkill(`argument ${index + 1} is no text`);
  return text;
}

function queryAt(args: readonly unknown[], index: number): string {
  const query = textAt(args, index);
  if (query.length > queryCharactersMax)
    throw new ForSkill(`a query has at most ${queryCharactersMax} characters`);
  return query;
}

/** The file as the skill's digest was taken over it. */
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

/** Its message is for the skill. */
class ForSkill extends Error {}

/** What went wrong on this side of the wall is nothing that a skill should learn. */
function messageOf(error: unknown): string {
  if (error instanceof ForSkill || error instanceof StateError || error instanceof HttpFailed)
    return error.message;
  return 'it could not be done';
}

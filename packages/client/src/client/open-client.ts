import type { BatchAnswer, BatchRequest, ChainAnswer, ChainRequest, ExecuteAnswer } from '../api/names.ts';
import { callOnce } from '../call/call-once.ts';
import { type CallOptions, keyOf } from '../call/call-options.ts';
import { callStream, watchedCall } from '../call/call-stream.ts';
import { answerOf, cancelCall, executionStatus } from '../call/executions.ts';
import type { CallAnswer, CallRequest } from '../call/request-call.ts';
import { requestAnswer, startCall } from '../call/request-call.ts';
import { bytesOf, textOf } from '../request/body-of.ts';
import { callerOf } from '../request/caller.ts';
import { usualRetries } from '../request/retries.ts';
import { transport as openTransport } from '../request/transport.ts';
import type { AmbitClient, AmbitClientOptions, ExecuteOptions } from './ambit-client.ts';
import { auditApi } from './audit-api.ts';
import { consoleApi } from './console-api.ts';
import { daemonOf } from './daemon-of.ts';
import { installsApi } from './installs-api.ts';
import { workspacesApi } from './workspaces-api.ts';

const usualTimeoutMs = 30_000;
const usualSilenceMs = 45_000;
const usualAnswerBytesMax = 256 * 1024 * 1024;

/**
 * A client of the daemon at `url`. It has no connection of its own, so nothing needs closing.
 * Throws an `UnsendableError` for an invalid `url` or `key`.
 */
export function ambitClient({
  url,
  key,
  fetch = globalThis.fetch,
  signal,
  timeoutMs = usualTimeoutMs,
  retries,
  silenceMs = usualSilenceMs,
  answerBytesMax = usualAnswerBytesMax,
}: AmbitClientOptions): AmbitClient {
  // A browser's `fetch` must be called as a function of the window.
  const send: typeof fetch = (...request) => fetch(...request);
  const transport = openTransport({
    ...daemonOf({ url, key }),
    fetch: send,
    answerBytesMax,
    retries: { ...usualRetries, ...retries },
  });
  const caller = callerOf(transport, { signal, timeoutMs, silenceMs });
  const { get, getAs, within } = caller;

  const whole = (call: CallRequest, options: CallOptions): Promise<CallAnswer> => {
    const once = keyOf(options);
    const how = within(endsOf(options));
    return once === undefined
      ? requestAnswer(transport, call, undefined, how)
      : callOnce(transport, call, once, how);
  };
  const later = (call: CallRequest, options: CallOptions) =>
    startCall(transport, call, keyOf(options), within({ timeoutMs, ...endsOf(options) }));
  const streamed = <Answer extends CallAnswer>(call: CallRequest, options: CallOptions) =>
    callStream<Answer>(transport, call, keyOf(options), { ...within(endsOf(options)), silenceMs });

  return {
    execute: async <Output>(skill: string, input?: unknown, options: ExecuteOptions = {}) =>
      (await whole(askedSkill(skill, input, options), options)) as ExecuteAnswer<Output>,
    chain: async (chain, options = {}) => (await whole(askedChain(chain), options)) as ChainAnswer,
    batch: async (batch, options = {}) => (await whole(askedBatch(batch), options)) as BatchAnswer,
    stream: (skill, input, options = {}) => streamed(askedSkill(skill, input, options), options),
    streamChain: (chain, options = {}) => streamed(askedChain(chain), options),
    streamBatch: (batch, options = {}) => streamed(askedBatch(batch), options),
    start: async (skill, input, options = {}) => later(askedSkill(skill, input, options), options),
    startChain: async (chain, options = {}) => later(askedChain(chain), options),
    startBatch: async (batch, options = {}) => later(askedBatch(batch), options),
    execution: (id, options = {}) => executionStatus(transport, id, within({ timeoutMs, ...options })),
    wait: (id, options = {}) => answerOf(transport, id, within(options)),
    watch: (id, options = {}) => watchedCall(transport, id, { ...within(options), silenceMs }),
    cancel: (id, options = {}) => cancelCall(transport, id, within({ timeoutMs, ...options })),
    skills: (query, options) => get('listSkills', { query }, options),
    tools: (query, options) => get('listTools', { query }, options),
    skill: (id, options) => get('getSkill', { path: { id } }, options),
    proposal: (id, { since, execution, ...options } = {}) =>
      get('getProposal', { path: { id }, query: { since, execution } }, options),
    body: (id, options) => getAs('getSkillBody', { path: { id } }, options, textOf),
    files: (id, options) => get('listSkillFiles', { path: { id } }, options),
    file: (id, path, options) =>
      getAs('getSkillFile', { path: { id, path: path.split('/') } }, options, bytesOf),
    prompt: (body, options) => get('composePrompt', { body }, options),
    configuration: async (options) => (await get('getConfiguration', {}, options)).values,
    keys: async (options) => (await get('listKeys', {}, options)).keys,
    decide: (body, options) => get('decidePolicy', { body }, options),
    nodes: (options) => get('listNodes', {}, options),
    metrics: (options) => getAs('getMetrics', {}, options, textOf),
    audit: auditApi(caller),
    workspaces: workspacesApi(caller),
    installs: installsApi(caller),
    console: consoleApi(caller),
  };
}

function askedSkill(
  id: string,
  input: unknown,
  { signal, timeoutMs, idempotencyKey, ...request }: ExecuteOptions,
): CallRequest {
  return { id: 'executeSkill', given: { path: { id }, body: { input, ...request } } };
}

function askedChain(body: ChainRequest): CallRequest {
  return { id: 'executeChain', given: { body } };
}

function askedBatch(body: BatchRequest): CallRequest {
  return { id: 'executeBatch', given: { body } };
}

/** The options that concern the request, not the call. */
function endsOf({ signal, timeoutMs }: CallOptions): CallOptions {
  return { signal, ...(timeoutMs === undefined ? {} : { timeoutMs }) };
}

import type { BatchRequest, ChainRequest, ExecuteAnswer } from '../call/call-answer.ts';
import { callOnce } from '../call/call-once.ts';
import { type CallOptions, keyOf } from '../call/call-options.ts';
import { callStream, watchedCall } from '../call/call-stream.ts';
import { answerOf, cancelCall, executionStatus } from '../call/executions.ts';
import { type CallRequest, type CallRoute, requestAnswer, startCall } from '../call/request-call.ts';
import { bytesOf, textOf } from '../request/body-of.ts';
import { callerOf } from '../request/caller.ts';
import type { Fetch } from '../request/fetch.ts';
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
  const send: Fetch = (...request) => fetch(...request);
  const transport = openTransport({
    ...daemonOf({ url, key }),
    fetch: send,
    answerBytesMax,
    retries: { ...usualRetries, ...retries },
  });
  const caller = callerOf(transport, { signal, timeoutMs, silenceMs });
  const { get, getAs, within } = caller;

  const whole = <Name extends CallRoute>(call: CallRequest<Name>, options: CallOptions) => {
    const once = keyOf(options);
    const how = within(endsOf(options));
    return once === undefined
      ? requestAnswer(transport, call, undefined, how)
      : callOnce(transport, call, once, how);
  };
  const later = async <Name extends CallRoute>(call: CallRequest<Name>, options: CallOptions) =>
    startCall(
      transport,
      call,
      keyOf(options),
      within({ ...endsOf(options), timeoutMs: options.timeoutMs ?? timeoutMs }),
    );
  const streamed = <Name extends CallRoute>(call: CallRequest<Name>, options: CallOptions) =>
    callStream(transport, call, keyOf(options), { ...within(endsOf(options)), silenceMs });

  return {
    // The caller says what the output is. Nothing checks it.
    execute: async <Output>(skill: string, input?: unknown, options: ExecuteOptions = {}) =>
      (await whole(skillCall(skill, input, options), options)) as ExecuteAnswer<Output>,
    chain: async (chain, options = {}) => whole(chainCall(chain), options),
    batch: async (batch, options = {}) => whole(batchCall(batch), options),
    stream: (skill, input, options = {}) => streamed(skillCall(skill, input, options), options),
    streamChain: (chain, options = {}) => streamed(chainCall(chain), options),
    streamBatch: (batch, options = {}) => streamed(batchCall(batch), options),
    start: (skill, input, options = {}) => later(skillCall(skill, input, options), options),
    startChain: (chain, options = {}) => later(chainCall(chain), options),
    startBatch: (batch, options = {}) => later(batchCall(batch), options),
    execution: (id, options = {}) => executionStatus(transport, id, within({ timeoutMs, ...options })),
    wait: (id, options = {}) => answerOf(transport, id, within(options)),
    watch: (id, options = {}) => watchedCall(transport, id, { ...within(options), silenceMs }),
    cancel: (id, options = {}) => cancelCall(transport, id, within({ timeoutMs, ...options })),
    skills: (query, options) => get('GET /skills', 'brokenCount', { query }, options),
    tools: (query, options) => get('GET /tools', 'leftOut', { query }, options),
    skill: (id, options) => get('GET /skills/:id', 'scriptLimits', { params: { id } }, options),
    proposal: (id, { since, execution, ...options } = {}) =>
      get('GET /skills/:id/proposal', 'requests', { params: { id }, query: { since, execution } }, options),
    body: (id, options) => getAs('GET /skills/:id/body', { params: { id } }, options, textOf),
    files: (id, options) => get('GET /skills/:id/files', 'digest', { params: { id } }, options),
    file: (id, path, options) =>
      getAs('GET /skills/:id/files/*', { params: { id, path: path.split('/') } }, options, bytesOf),
    prompt: (body, options) => get('POST /prompt', 'prompt', { body }, options),
    configuration: async (options) => (await get('GET /configuration', 'values', {}, options)).values,
    keys: async (options) => (await get('GET /keys', 'keys', {}, options)).keys,
    decide: (body, options) => get('POST /policy/decide', 'allowed', { body }, options),
    nodes: (options) => get('GET /cluster/nodes', 'nodes', {}, options),
    metrics: (options) => getAs('GET /metrics', {}, options, textOf),
    request: (route, input = {}, options = {}) =>
      transport.json(route, undefined, input, {
        timeoutMs,
        ...within(options),
        isRepeatable: route.startsWith('GET '),
      }),
    audit: auditApi(caller),
    workspaces: workspacesApi(caller),
    installs: installsApi(caller),
    console: consoleApi(caller),
  };
}

function skillCall(
  id: string,
  input: unknown,
  { signal, timeoutMs, idempotencyKey, ...request }: ExecuteOptions,
): CallRequest<'POST /skills/:id/execute'> {
  const given = { params: { id }, body: { input, ...request } };
  return { route: 'POST /skills/:id/execute', given };
}

function chainCall(body: ChainRequest): CallRequest<'POST /chain'> {
  return { route: 'POST /chain', given: { body } };
}

function batchCall(body: BatchRequest): CallRequest<'POST /batch'> {
  return { route: 'POST /batch', given: { body } };
}

/** The options that concern the request, not the call. */
function endsOf({ signal, timeoutMs }: CallOptions): CallOptions {
  return { signal, timeoutMs };
}

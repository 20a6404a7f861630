import type { AnswerOf, OperationId } from '../api/operation.ts';
import { anyOf, type RequestOptions } from '../request/end-of.ts';
import type { RequestInput } from '../request/request-input.ts';
import type { Transport } from '../request/transport.ts';

/** What every group of methods is made over. */
export interface Caller {
  readonly transport: Transport;
  readonly silenceMs: number;
  /** Ended by the client's signal too. */
  within<Options extends RequestOptions>(options: Options): Options;
  /** The answer of a route that can be asked twice, within the client's timeout unless `options` has another. */
  get<Id extends OperationId>(
    id: Id,
    given: RequestInput<Id>,
    options: RequestOptions | undefined,
  ): Promise<AnswerOf<Id>>;
  /** The same where the answer is no JSON: what `read` makes of it. */
  getAs<Id extends OperationId, Result>(
    id: Id,
    given: RequestInput<Id>,
    options: RequestOptions | undefined,
    read: (response: Response, bytesMax: number) => Promise<Result>,
  ): Promise<Result>;
}

/** What methods make requests with. `signal` ends every one of them, beside the request's own. */
export function callerOf(
  transport: Transport,
  { signal, timeoutMs, silenceMs }: RequestOptions & { silenceMs: number },
): Caller {
  const within: Caller['within'] = (options) => ({ ...options, signal: anyOf(signal, options.signal) });
  const sent = (options: RequestOptions = {}) => ({ timeoutMs, ...within(options), isRepeatable: true });
  return {
    ...{ transport, silenceMs, within },
    get: (id, given, options) => transport.json(id, given, sent(options)),
    getAs: (id, given, options, read) => transport.read(id, given, sent(options), read),
  };
}

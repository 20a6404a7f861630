import { isProblemCode, type ProblemCode } from '@ambit/api';
import { CodedError } from '@ambit/core/outcome';
import { Refusal } from '../../errors/refusal.ts';

/** A refusal that HTTP answers with a problem. */
export type HttpRefusal = Refusal<ProblemCode>;

/** A restarted daemon accepts requests by then. */
const retryAfterSeconds = 5;

/** For requests that arrive during shutdown, and for requests that shutdown interrupts. */
export function shuttingDown(): HttpRefusal {
  return new Refusal(
    'SHUTTING_DOWN',
    'Ambit is shutting down and accepts no new requests; try again after it restarts',
    { headers: { connection: 'close', 'retry-after': String(retryAfterSeconds) } },
  );
}

interface RefusalDeps {
  bodyLimitBytes: number;
  /** Aborted when shutdown cancels running calls. */
  shutdown: AbortSignal;
  retryAfterSeconds(): number;
}

/**
 * The refusal for any error thrown while a request was handled: `SHUTTING_DOWN` if shutdown
 * interrupted it. `OVERLOADED` gets a `Retry-After`.
 */
export function refusalOf(deps: RefusalDeps, error: unknown): HttpRefusal {
  const isStopping = deps.shutdown.aborted && error === deps.shutdown.reason;
  const refusal = isStopping ? shuttingDown() : asRefusal(error, deps);
  if (refusal.code !== 'OVERLOADED' || refusal.headers['retry-after'] !== undefined) return refusal;
  const { code, message, details, cause } = refusal;
  const headers = { ...refusal.headers, 'retry-after': String(deps.retryAfterSeconds()) };
  return new Refusal(code, message, { details, cause, headers });
}

/** The refusal for an error, regardless of the daemon's state. Unknown errors are `INTERNAL`. */
export function asRefusal(
  error: unknown,
  { bodyLimitBytes }: Pick<RefusalDeps, 'bodyLimitBytes'>,
): HttpRefusal {
  if (error instanceof CodedError && isProblemCode(error.code)) {
    if (error instanceof Refusal) return error;
    const { code, message, details, cause } = error;
    return new Refusal(code, message, { details, cause });
  }
  const code = String((error as { code?: unknown } | null)?.code);
  switch (code) {
    case 'FST_ERR_CTP_BODY_TOO_LARGE':
      return new Refusal(
        'BODY_TOO_LARGE',
        `the request body exceeds the limit of ${bodyLimitBytes} bytes; send less, or raise bodyLimitBytes in the configuration`,
      );
    case 'FST_ERR_CTP_INVALID_MEDIA_TYPE':
      return new Refusal(
        'MEDIA_TYPE_UNSUPPORTED',
        'unsupported content type; send JSON with the header "content-type: application/json", or a workspace file as bytes with "content-type: application/octet-stream"',
      );
    case 'FST_ERR_CTP_INVALID_CONTENT_LENGTH':
    case 'ECONNRESET':
      return new Refusal(
        'BODY_MALFORMED',
        'the request body is shorter than its Content-Length; send the whole body',
      );
    case 'ERR_HTTP_REQUEST_TIMEOUT':
      return new Refusal('BODY_MALFORMED', 'the request body did not arrive in time; send it again');
    default:
      if (code.startsWith('HPE_'))
        return new Refusal(
          'BODY_MALFORMED',
          `the request body is not valid HTTP (${code}); check its chunked encoding`,
        );
      return new Refusal(
        'INTERNAL',
        'Ambit failed because of a bug, not because of the request; its log has the cause under this execution id',
        { cause: error },
      );
  }
}

import { SkillError } from '@ambit/core';
import type { ProblemCode } from '../../errors/codes.ts';
import { InstallRefusal } from '../../installs/install-refusal.ts';
import { IdempotencyError } from '../../jobs/idempotency/idempotency-error.ts';

/** Details of a refusal besides its code and message. */
export interface RefusalOptions {
  /** For programs: part of the problem. */
  issues?: readonly unknown[] | undefined;
  denials?: readonly unknown[] | undefined;
  /** The signed receipt of a refused call that asked for one. */
  receipt?: unknown;
  /** The call that used the idempotency key. */
  originalExecutionId?: string | undefined;
  /** Response headers. */
  headers?: Readonly<Record<string, string>>;
  cause?: unknown;
}

const messageCharactersMax = 4000;

/**
 * A request that is answered with a problem. Its message says what to do and never contains a key
 * or an input.
 */
export class Refusal extends Error {
  override readonly name = 'Refusal';
  readonly code: ProblemCode;
  readonly issues: readonly unknown[] | undefined;
  readonly denials: readonly unknown[] | undefined;
  readonly receipt: unknown;
  readonly originalExecutionId: string | undefined;
  readonly headers: Readonly<Record<string, string>>;

  constructor(
    code: ProblemCode,
    message: string,
    { issues, denials, receipt, originalExecutionId, headers = {}, cause }: RefusalOptions = {},
  ) {
    super(message.slice(0, messageCharactersMax), cause === undefined ? undefined : { cause });
    this.code = code;
    this.issues = issues;
    this.denials = denials;
    this.receipt = receipt;
    this.originalExecutionId = originalExecutionId;
    this.headers = headers;
  }
}

/** A restarted daemon accepts requests by then. */
const retryAfterSeconds = 5;

/** For requests that arrive during shutdown, and for requests that shutdown interrupts. */
export function shuttingDown(): Refusal {
  return new Refusal(
    'SHUTTING_DOWN',
    'Ambit is shutting down and accepts no new requests; try again after it restarts',
    { headers: { connection: 'close', 'retry-after': String(retryAfterSeconds) } },
  );
}

/** What the refusal for an error depends on. */
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
export function refusalOf(deps: RefusalDeps, error: unknown): Refusal {
  const isStopping = deps.shutdown.aborted && error === deps.shutdown.reason;
  const refusal = isStopping ? shuttingDown() : asRefusal(error, deps);
  if (refusal.code !== 'OVERLOADED' || refusal.headers['retry-after'] !== undefined) return refusal;
  const headers = { ...refusal.headers, 'retry-after': String(deps.retryAfterSeconds()) };
  return new Refusal(refusal.code, refusal.message, { ...refusal, cause: refusal.cause, headers });
}

/** The refusal for an error, regardless of the daemon's state. Unknown errors are `INTERNAL`. */
export function asRefusal(error: unknown, { bodyLimitBytes }: Pick<RefusalDeps, 'bodyLimitBytes'>): Refusal {
  if (error instanceof Refusal) return error;
  if (error instanceof SkillError) return fromSkillError(error);
  if (error instanceof IdempotencyError) {
    const { code: keyCode, message, executionId: originalExecutionId } = error;
    return new Refusal(keyCode, message, { originalExecutionId });
  }
  if (error instanceof InstallRefusal) return new Refusal(error.code, error.message, { cause: error });
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

function fromSkillError({ code, message, details, cause }: SkillError): Refusal {
  const list = (key: string) => (Array.isArray(details[key]) ? { [key]: details[key] } : {});
  return new Refusal(code, message, {
    ...list('issues'),
    ...list('denials'),
    receipt: details['receipt'],
    cause,
  });
}

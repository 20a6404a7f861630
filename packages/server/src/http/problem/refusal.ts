import { SkillError } from '@ambit/core';
import { IdempotencyError } from '../../jobs/idempotency/idempotency-error.ts';
import type { ProblemCode } from './answers.ts';

/** What belongs to a refusal besides its code and message. */
export interface RefusalOptions {
  /** For machines: becomes part of the problem. */
  issues?: readonly unknown[] | undefined;
  denials?: readonly unknown[] | undefined;
  /** The signed receipt of a call that was refused and asked for one. */
  receipt?: unknown;
  /** The call that has the idempotency key. */
  originalExecutionId?: string | undefined;
  /** For the answer. */
  headers?: Readonly<Record<string, string>>;
  cause?: unknown;
}

const messageCharactersMax = 4000;

/** A request that is answered with a problem. Its message says what to do, and never holds a key or an input. */
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

/** A daemon that is started again is there by then. */
const retryAfterSeconds = 5;

/** For requests that come during a stop, and for those that a stop has ended. */
export function shuttingDown(): Refusal {
  return new Refusal(
    'SHUTTING_DOWN',
    'Ambit is stopping and takes no new requests; try again when it has started again',
    { headers: { connection: 'close', 'retry-after': String(retryAfterSeconds) } },
  );
}

/** Whatever was thrown while a request was handled, as the refusal that answers it. What nobody foresaw is `INTERNAL`. */
export function asRefusal(error: unknown, { bodyLimitBytes }: { bodyLimitBytes: number }): Refusal {
  if (error instanceof Refusal) return error;
  if (error instanceof SkillError) return fromSkillError(error);
  if (error instanceof IdempotencyError) {
    const { code: keyCode, message, executionId: originalExecutionId, cause } = error;
    return new Refusal(keyCode, message, { originalExecutionId, cause });
  }
  const code = String((error as { code?: unknown } | null)?.code);
  switch (code) {
    case 'FST_ERR_CTP_BODY_TOO_LARGE':
      return new Refusal(
        'BODY_TOO_LARGE',
        `the body is larger than the ${bodyLimitBytes} bytes that are read; send less, or raise the limit in the configuration`,
      );
    case 'FST_ERR_CTP_INVALID_MEDIA_TYPE':
      return new Refusal(
        'MEDIA_TYPE_UNSUPPORTED',
        'send the body as JSON, with the header "content-type: application/json"; a file of a workspace as its bytes, with "content-type: application/octet-stream"',
      );
    case 'FST_ERR_CTP_INVALID_CONTENT_LENGTH':
    case 'ECONNRESET':
      return new Refusal('BODY_MALFORMED', 'the body ended before the length that its header announced');
    case 'ERR_HTTP_REQUEST_TIMEOUT':
      return new Refusal('BODY_MALFORMED', 'the body did not arrive whole in time');
    default:
      if (code.startsWith('HPE_'))
        return new Refusal('BODY_MALFORMED', `the body is not sent as HTTP has it (${code})`);
      return new Refusal(
        'INTERNAL',
        'Ambit failed, not the request; its log has the cause under this execution id',
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

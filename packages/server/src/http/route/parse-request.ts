import { Readable } from 'node:stream';
import { describeIssues } from '@ambit/core/skill';
import type { FastifyRequest } from 'fastify';
import { z } from 'zod';
import { Refusal } from '../../errors/refusal.ts';

/** A value in a request that its schema does not accept. */
export interface RequestIssue {
  /** JSON pointer to the value, `''` for the whole request part (RFC 6901). */
  at: string;
  message: string;
}

const issuesMax = 20;

/**
 * `value` parsed with `schema`. Throws `REQUEST_INVALID` with every mistake; for an unknown key it
 * suggests the nearest known one.
 */
export function parseRequest<Schema extends z.ZodType>(schema: Schema, value: unknown): z.output<Schema> {
  const parsed = schema.safeParse(value);
  if (parsed.success) return parsed.data;
  const issues = parsed.error.issues.slice(0, issuesMax).flatMap((issue): RequestIssue[] =>
    describeIssues(new z.ZodError([issue]), schema, value).map((message) => ({
      at: pointer(issue.path),
      message,
    })),
  );
  throw requestInvalid(issues);
}

/** The refusal of a request for its mistakes. Some of them only the running daemon can find. */
export function requestInvalid(issues: readonly RequestIssue[]): Refusal {
  return new Refusal('REQUEST_INVALID', issues.map(({ message }) => message).join('; '), {
    details: { issues },
  });
}

function pointer(path: readonly PropertyKey[]): string {
  return path.map((step) => `/${String(step).replaceAll('~', '~0').replaceAll('/', '~1')}`).join('');
}

/** The media type of a body of bytes. */
export const bytesMediaType = 'application/octet-stream';

/** The bytes of a request body as they arrive; none without a body. Throws `MEDIA_TYPE_UNSUPPORTED` for JSON. */
export function bytesOf({ body }: FastifyRequest): Readable {
  if (body === undefined) return Readable.from([]);
  if (body instanceof Readable) return body;
  throw new Refusal(
    'MEDIA_TYPE_UNSUPPORTED',
    `this route takes a file's bytes; send them with the header "content-type: ${bytesMediaType}", regardless of the content`,
  );
}

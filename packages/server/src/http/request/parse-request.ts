import { describeIssues } from '@ambit/core/internal';
import { z } from 'zod';
import { Refusal } from '../problem/refusal.ts';

/** One thing in a request that its schema does not accept. */
interface RequestIssue {
  /** JSON pointer to the place, `''` for the whole (RFC 6901). */
  at: string;
  message: string;
}

const issuesMax = 20;

/** What `value` is by `schema`. Throws `REQUEST_INVALID` with every mistake; an unknown key comes with the nearest known. */
export function parseRequest<Schema extends z.ZodType>(schema: Schema, value: unknown): z.output<Schema> {
  const parsed = schema.safeParse(value);
  if (parsed.success) return parsed.data;
  const issues = parsed.error.issues.slice(0, issuesMax).flatMap((issue): RequestIssue[] =>
    describeIssues(new z.ZodError([issue]), schema, value).map((message) => ({
      at: pointer(issue.path),
      message,
    })),
  );
  throw new Refusal('REQUEST_INVALID', issues.map(({ message }) => message).join('; '), { issues });
}

function pointer(path: readonly PropertyKey[]): string {
  return path.map((step) => `/${String(step).replaceAll('~', '~0').replaceAll('/', '~1')}`).join('');
}

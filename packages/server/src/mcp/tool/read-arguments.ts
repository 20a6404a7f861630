import { SkillError } from '@ambit/core';
import { describeIssues } from '@ambit/core/skill';
import type { z } from 'zod';

const issuesMax = 20;

/**
 * A tool's arguments parsed with `schema`. Throws `INPUT_INVALID` with every mistake; for an
 * unknown key it suggests the nearest known one.
 */
export function readArguments<Schema extends z.ZodType>(
  tool: string,
  schema: Schema,
  given: unknown,
): z.output<Schema> {
  const parsed = schema.safeParse(given);
  if (parsed.success) return parsed.data;
  const all = describeIssues(parsed.error, schema, given);
  const issues = all.slice(0, issuesMax);
  const more = all.length > issuesMax ? `; and ${all.length - issuesMax} more` : '';
  throw new SkillError('INPUT_INVALID', `invalid arguments for ${tool}: ${issues.join('; ')}${more}`, {
    details: { issues },
  });
}

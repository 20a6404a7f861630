import { resolve } from 'node:path';
import { AmbitProblem } from '@ambit/client';
import { onlyNarrows } from '@ambit/core/policy';

/**
 * The refusal of a call in terms of this command's options, where the message names the fields of a request. Returns other
 * errors unchanged. `read` are the paths of `--read`.
 */
export function inCliTerms(
  error: unknown,
  { skillId, cwd, read = [] }: { skillId: string; cwd: string; read?: readonly string[] | undefined },
): unknown {
  if (!(error instanceof AmbitProblem)) return error;
  const { code, denials } = error;
  const again = (detail: string) => new AmbitProblem({ ...error.problem, detail });
  if (code === 'INPUT_INVALID')
    return again(terms.reduce((text, [from, to]) => text.replace(from, to), error.message));
  const paths = read.map((path) => resolve(cwd, path));
  const beyond = denials.filter(
    ({ reason, requested }) => reason === onlyNarrows && paths.includes(requested),
  );
  if (code !== 'CAPABILITY_DENIED' || beyond.length === 0 || beyond.length < denials.length) return error;
  const what = beyond.map(({ requested }) => requested).join(' and ');
  return again(
    `--read ${what} is outside the paths that ${skillId} may read. Name a path within them, or omit --read`,
  );
}

const terms: readonly (readonly [from: string, to: string])[] = [
  [
    'send "args" (a list of strings) and "stdin" (a string) instead of "input"',
    'use arguments after -- and --stdin instead of --input',
  ],
  [
    'gets "input" as JSON on its stdin: send either "input" or "stdin", not both',
    'gets --input as JSON on its stdin: use either --input or --stdin, not both',
  ],
  ['send "input" instead of "args" and "stdin"', 'use --input instead of arguments and --stdin'],
  [
    'send either "command", or "script" and "args", not both',
    'use either --command, or --script and arguments after --, not both',
  ],
  ['needs an "input": send a value that', 'needs input: add --input with JSON that'],
  ['name one with "script", or --script on the command line', 'name one with --script'],
  ['leave the script out', 'omit --script'],
];

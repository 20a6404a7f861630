import type { AppliedChanges } from '@ambit/server/local';
import type { CommandContext, GlobalFlags } from '../../command/define-command.ts';
import { printableLine } from '../../output/printable.ts';

/** The changed files, and whether a running daemon uses them. A reload that the daemon refuses is an error of the configuration. */
export async function appliedLines(
  context: Pick<CommandContext, 'loadConfig'> & { exitCode: CommandContext['exitCode'] },
  flags: GlobalFlags,
  changes: readonly { path: string }[],
  { trusted, reload }: AppliedChanges,
): Promise<string[]> {
  const lines = changes.map(({ path }) => `Changed ${printableLine(path)}.`);
  if (trusted) lines.push('The changed configuration is trusted.');
  if (reload === null) return lines;
  if (reload.outcome === 'refused') {
    context.exitCode = 2;
    const issues = reload.issues.map((issue) => `  ${printableLine(issue)}`);
    return [...lines, 'The running daemon keeps its configuration:', ...issues];
  }
  const { policyOf } = await import('@ambit/server/local');
  const isInForce = policyOf(await context.loadConfig(flags)).digest === reload.policyDigest;
  return [
    ...lines,
    isInForce
      ? 'The running daemon uses it now.'
      : 'The running daemon has another configuration, which is unchanged.',
  ];
}

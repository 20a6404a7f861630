import type { CommandContext } from '../../command/define-command.ts';

/**
 * Whether a decision may be typed here. A terminal is no proof of a person: an agent with the operator's shell can open one, so it
 * has to run as another user.
 */
export function isPerson({ terminal }: Pick<CommandContext, 'terminal'>): boolean {
  return terminal.stdin.isTTY === true;
}

/**
 * The text where a person decides. Only at a terminal it may have a command that decides: without one, an agent with the shell
 * of the operator may be reading, so `elsewhere` names at most what to read.
 */
export function decisionText(
  { stdin }: { readonly stdin: { readonly isTTY?: boolean | undefined } },
  atTerminal: string,
  elsewhere: string,
): string {
  return stdin.isTTY === true ? atTerminal : elsewhere;
}

import type { UsedCapabilities, UsedItems } from '@ambit/core/outcome';

/** Describes the use of a run's grant, one phrase per item; empty if it used nothing. */
export function usedPhrases(used: UsedCapabilities): string[] {
  const { filesystem, network, env, secrets, exec, state, memory, functions, unlisted } = used;
  return [
    ...listPhrases('filesystem.read', filesystem.read),
    ...listPhrases('filesystem.write', filesystem.write),
    ...listPhrases('network', network),
    ...listPhrases('env', env),
    ...listPhrases('secrets', secrets),
    ...listPhrases('exec', exec),
    ...levelPhrases('state', state),
    ...levelPhrases('memory', memory),
    ...listPhrases('host function', functions),
    ...unlisted.map(({ capability, uses }) =>
      uses === null ? unseen(capability) : `${capability} ${times(uses)} more`,
    ),
  ];
}

function unseen(capability: string): string {
  return capability === 'exec'
    ? 'possibly other programs: Ambit sees only the interpreter that it starts'
    : `possibly more of ${capability}`;
}

function listPhrases(kind: string, items: UsedItems): string[] {
  return items?.map(({ item, count }) => `${kind} ${item} ${times(count)}`) ?? [`${kind} unknown`];
}

function levelPhrases(kind: string, level: string | null): string[] {
  return level === 'none' ? [] : [`${kind} ${level ?? 'unknown'}`];
}

function times(count: number): string {
  return count === 1 ? 'once' : `${count} times`;
}

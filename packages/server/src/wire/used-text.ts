import type { UsedCapabilities, UsedItems } from '@ambit/core/internal';

/** What a run used, a phrase for each thing; empty for a run that used nothing. */
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
      uses === null ? `perhaps more of ${capability}` : `${capability} ${times(uses)} more`,
    ),
  ];
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

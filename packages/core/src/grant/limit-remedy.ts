import { amountText } from '../capability/amount.ts';
import { limitsLine } from '../capability/denial.ts';
import { boundsOf, type LimitName, type LimitSources, requestedLimit } from '../capability/limits.ts';
import type { Outcome } from '../outcome/outcome.ts';
import type { Grant } from './grant.ts';

/**
 * Returns what raises the limit that ended a run, for a person: each line of configuration and each option of the call that it
 * takes to double the limit, and no other. `undefined` if no limit ended it.
 */
export function limitRemedy(grant: Grant, outcome: Outcome): string | undefined {
  const name = exceededLimit(outcome);
  const value = name === undefined ? null : grant.limits[name];
  if (name === undefined || value === null) return undefined;
  const steps = stepsTo(grant, name, 2 * value);
  return `To raise ${name} to ${amountText(name, 2 * value)}: ${steps.join('; ')}`;
}

/** The limits that a skill asks for and a call without narrowing does not get, with what gives them, one sentence each. */
export function unmetLimits(grant: Grant): string[] {
  const requestedLimits = Object.entries(grant.limitSources.skill) as [LimitName, number | undefined][];
  return requestedLimits.flatMap(([name, requested = 0]) => {
    const value = grant.limits[name] ?? Number.POSITIVE_INFINITY;
    if (requested <= value) return [];
    const steps = stepsTo(grant, name, requested).join('; ');
    return [
      `asks for ${name} ${amountText(name, requested)} and gets ${amountText(name, value)}; to give it that, ${steps}`,
    ];
  });
}

/** The limit that ended a run. */
function exceededLimit(outcome: Outcome): LimitName | undefined {
  switch (outcome.status) {
    case 'timed-out':
      return 'cpuMs' in outcome ? 'cpuMs' : 'timeoutMs';
    case 'out-of-memory':
      return 'memoryBytes';
    case 'out-of-fuel':
      return 'fuel';
    case 'output-too-large':
      return 'outputBytes';
    default:
      return undefined;
  }
}

function stepsTo({ skill, operator, limitSources }: Grant, name: LimitName, target: number): string[] {
  const text = amountText(name, target);
  const steps: string[] = [];
  if ((requestedLimit(limitSources, name) ?? target) < target)
    steps.push(`call it with ${options[name] ?? `limits.${name}`} ${text}${inPlaceOf(limitSources, name)}`);
  const { max = target, every = target, key = target } = boundsOf(limitSources, name);
  if (max < target || isDefault(limitSources, name))
    steps.push(`add to ambit.config.yaml: ${limitsLine(skill.id, { [name]: target }, operator)}`);
  if (every < target) steps.push(`set in ambit.config.yaml: limits: { ${name}: ${text} }`);
  if (key < target) steps.push(`use a key whose ceiling has limits: { ${name}: ${text} }`);
  return steps;
}

/** The options of `ambit run`. */
const options: Partial<Record<LimitName, string>> = { timeoutMs: '--timeout', memoryBytes: '--memory' };

function inPlaceOf({ call }: LimitSources, name: LimitName): string {
  return call[name] === undefined ? `, in place of run.limits.${name} in its ambit.yaml` : '';
}

/** Whether the limit is the default of the tier, which a grant replaces. */
function isDefault(sources: LimitSources, name: LimitName): boolean {
  return requestedLimit(sources, name) === undefined && sources.granted[name] === undefined;
}

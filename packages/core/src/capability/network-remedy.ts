import { grantLine, yamlScalar } from './denial.ts';
import type { Grant } from './grant.ts';
import { ruleIncludes, ruleText, type Scheme } from './network.ts';

/** The rule that grants one host and port. Where it names no scheme it means TLS, but plain HTTP on port 80. */
export function ruleFor({ scheme, host, port }: { scheme?: Scheme; host: string; port: number }): string {
  const isImplied = scheme === undefined || scheme === (port === 80 ? 'http' : 'https');
  return `${isImplied ? '' : `${scheme}://`}${host}:${port}`;
}

/**
 * What lets a call that runs reach what `rule` names. The skill has to request it and the operator to grant it: only what is
 * missing is named, and each line holds what there is already.
 */
export function networkRemedy({ skill, operator, narrowed }: Grant, rule: string): string {
  const requested = skill.run.capabilities.network;
  const isGranted = operator.network.some((each) => ruleIncludes(each, rule));
  const isRequested =
    // Such a grant is a request as well.
    skill.requestedBy === 'operator' ||
    requested.some((each) => each !== 'granted' && ruleIncludes(each, rule)) ||
    // It stands for what the operator grants.
    requested.includes('granted');
  const line = grantLine(skill.id, 'network', rule, operator);
  if (isRequested && isGranted && narrowed)
    return 'name it under "capabilities" in the call, or leave that out';
  if (isRequested) return line;
  const rules = [...requested.map(ruleText), rule].map(yamlScalar).join(', ');
  const request = `request it in its ambit.yaml, run.capabilities: { network: [${rules}] }`;
  return isGranted ? request : `${request}; and grant it: ${line}`;
}

import { grantLine, yamlScalar } from '../capability/denial.ts';
import { ruleIncludes, ruleText, type Scheme } from '../egress/network-rule.ts';
import type { Grant } from './grant.ts';

/**
 * The rule that grants one host and port. Without a scheme a rule means TLS, or plain HTTP on port
 * 80.
 */
export function ruleFor({ scheme, host, port }: { scheme?: Scheme; host: string; port: number }): string {
  const isImplied = scheme === undefined || scheme === (port === 80 ? 'http' : 'https');
  return `${isImplied ? '' : `${scheme}://`}${host}:${port}`;
}

/**
 * Returns the steps that let a call reach the host of `rule`. The skill must request it and the operator
 * must grant it. Only the missing steps are named, and each line includes the rules that exist
 * already.
 */
export function networkRemedy({ skill, operator, narrowed, trial }: Grant, rule: string): string {
  const requested = skill.run.capabilities.network;
  const isGranted = operator.network.some((each) => ruleIncludes(each, rule));
  const isRequested =
    // The grant is also the request.
    skill.requestedBy === 'operator' ||
    requested.some((each) => each !== 'granted' && ruleIncludes(each, rule)) ||
    // `granted` requests every rule that the operator grants.
    requested.includes('granted');
  const line = grantLine(skill.id, 'network', rule, operator);
  // The grant exists. A trial names it, so that a proposal finds it.
  if (isRequested && isGranted && trial) return grantLine(skill.id, 'network', rule);
  if (isRequested && isGranted && narrowed)
    return 'include it in "capabilities" of the call, or leave "capabilities" out';
  if (isRequested) return line;
  const rules = [...requested.map(ruleText), rule].map(yamlScalar).join(', ');
  const request = `request it in its ambit.yaml, run.capabilities: { network: [${rules}] }`;
  return isGranted ? request : `${request}, and add to ambit.config.yaml: ${line}`;
}

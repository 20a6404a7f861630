import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { repository } from '../support/daemon-process.ts';

/** The alert rules of docs/operations.md, as the YAML file that Prometheus loads. */
export async function documentedAlerts(): Promise<string> {
  const page = await readFile(join(repository, 'docs/operations.md'), 'utf8');
  const rules = /^```yaml\n(groups:\n[\s\S]*?)^```$/m.exec(page)?.[1];
  if (rules === undefined) throw new Error('docs/operations.md has no alert rules');
  return rules;
}

export function alertNames(rules: string): string[] {
  return [...rules.matchAll(/^ +- alert: (\w+)$/gm)].map(([, name = '']) => name);
}

/** The counters that rules read, with their label matchers: `ambit_refusals_total{code="OVERLOADED"}`. */
export function countersOf(rules: string): string[] {
  return [...rules.matchAll(/\bambit_\w+_total(?:\{[^}]*\})?/g)].map(([selector]) => selector);
}

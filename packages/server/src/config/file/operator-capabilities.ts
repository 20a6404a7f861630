import { Capabilities } from '@ambit/core/execute';
import { NetworkRule, ruleProblem } from '@ambit/core/internal';
import { z } from 'zod';
import { withHome } from './plain-values.ts';

/** A network rule that matches a host. The placeholder `granted` and anything that is not a host are refused. */
export const OperatorRule = NetworkRule.superRefine((rule, context) => {
  const isPlaceholder = (typeof rule === 'string' ? rule : rule.host) === 'granted';
  const message = isPlaceholder
    ? 'name the hosts: "granted" is a placeholder that only a skill can use, for the hosts named here'
    : ruleProblem(rule);
  if (message !== undefined) context.addIssue({ code: 'custom', message });
});

/** The `Capabilities` of core for operators: `~` is expanded, and the placeholder `granted` is refused. */
export function operatorCapabilities(home: string) {
  const { element: Entry } = Capabilities.shape.filesystem.unwrap().shape.read.unwrap();
  const paths = z.array(
    z
      .string()
      .transform((path) => withHome(path, home))
      .refine(
        (path) => path !== 'granted',
        'name the paths: "granted" is a placeholder that only a skill can use, for the paths named here',
      )
      .pipe(Entry),
  );
  return Capabilities.extend({
    filesystem: z
      .strictObject({ read: paths.default([]), write: paths.default([]) })
      .default({ read: [], write: [] }),
    network: z.array(OperatorRule).default([]),
  });
}

import { Capabilities } from '@ambit/core/execute';
import { z } from 'zod';
import { withHome } from './plain-values.ts';

/** The `Capabilities` of core for operators: `~` is expanded, and the placeholder `granted` is refused. */
export function operatorCapabilities(home: string) {
  const { element: Entry } = Capabilities.shape.filesystem.unwrap().shape.read.unwrap();
  const { element: Rule } = Capabilities.shape.network.unwrap();
  const rules = z.array(
    Rule.refine(
      (rule) => (typeof rule === 'string' ? rule : rule.host) !== 'granted',
      'name the hosts: "granted" is a placeholder that only a skill can use, for the hosts named here',
    ),
  );
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
    network: rules.default([]),
  });
}

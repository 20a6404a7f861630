import { Capabilities } from '@ambit/core/execute';
import { z } from 'zod';
import { withHome } from '../home-path.ts';

/** Core's `Capabilities` with the home directory filled in and the placeholder `granted` refused. */
export function operatorCapabilities(home: string) {
  const { element: Entry } = Capabilities.shape.filesystem.unwrap().shape.read.unwrap();
  const { element: Rule } = Capabilities.shape.network.unwrap();
  const rules = z.array(
    Rule.refine(
      (rule) => (typeof rule === 'string' ? rule : rule.host) !== 'granted',
      'name the hosts: "granted" is what a skill writes for those that stand here, so here it would stand for nothing',
    ),
  );
  const paths = z.array(
    z
      .string()
      .transform((path) => withHome(path, home))
      .refine(
        (path) => path !== 'granted',
        'name the paths: "granted" is what a skill writes for those that stand here, so here it would stand for nothing',
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

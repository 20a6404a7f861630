import { NetworkRule, ruleProblem } from '@ambit/core/egress';
import { Capabilities } from '@ambit/core/execute';
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

/** Explains why `*` and `/` are refused, and names the narrower grant and the grant of everything. */
function everything(narrower: string): string {
  return `${narrower}. No grant stands for all of them. For everything that your user may do, and only for a skill of tier local that you trust like your own shell: host: true`;
}

/** `element`, and for `all` of its kind a sentence that names what to write instead. */
function notAll<Element extends z.ZodType>(
  element: Element,
  all: string,
  narrower: string,
  expanded = (value: unknown) => value,
) {
  return z
    .any()
    .refine((value) => expanded(value) !== all, { error: everything(narrower), abort: true })
    .pipe(element);
}

/** `operatorCapabilities` for grants, in which nothing stands for everything of its kind. */
export function grantedCapabilities(home: string) {
  const Operator = operatorCapabilities(home);
  const { network, env, exec, filesystem } = Operator.shape;
  const { read, write } = filesystem.unwrap().shape;
  const expanded = (path: unknown) => (typeof path === 'string' ? withHome(path, home) : path);
  const paths = (mode: typeof read) =>
    z.array(notAll(mode.unwrap().element, '/', 'name the folders: /srv/data', expanded)).default([]);
  const hosts = network.unwrap().element;
  const namedHosts = 'name the hosts: api.example.com, "*.example.com"';
  return Operator.extend({
    filesystem: z.strictObject({ read: paths(read), write: paths(write) }).default({ read: [], write: [] }),
    network: z.array(notAll(hosts, '*', namedHosts)).default([]),
    env: z.array(notAll(env.unwrap().element, '*', 'name the variables: TZ')).default([]),
    exec: z.array(notAll(exec.unwrap().element, '*', 'name the programs: git, or @posix')).default([]),
  });
}

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

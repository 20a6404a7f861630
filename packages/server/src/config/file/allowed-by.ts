import { capabilityKinds } from '@ambit/core/policy';
import type { ConfigFile } from './config-file.ts';

/** One group of settings that a configuration allows. Each entry has a key or path in the file, and its value. */
export interface AllowedGroup {
  title: string;
  /** Whether each entry is, or names, a program that runs on the host outside every sandbox. */
  isCommands: boolean;
  entries: readonly (readonly [key: string, value: unknown])[];
}

type Entries = [key: string, value: unknown][];

/**
 * Lists what a configuration would allow, for review before trusting it. Empty groups are left out, except the last: the commands
 * that Ambit would run as the user. It is last so that no other group pushes it out of sight.
 */
export function allowedBy(content: ConfigFile): AllowedGroup[] {
  const commandGroups: AllowedGroup[] = [
    {
      title: 'Skills that may do everything that you may do',
      isCommands: true,
      entries: hostGrantsOf(content),
    },
    { title: 'MCP servers that your agent may start', isCommands: true, entries: mcpServersOf(content) },
  ];
  return [
    ...settingsOf(content)
      .filter(([, entries]) => entries.length > 0)
      .map(([title, entries]) => ({ title, isCommands: false, entries })),
    ...commandGroups.filter(({ entries }) => entries.length > 0),
    {
      title: 'Commands that Ambit runs as you, without a sandbox',
      isCommands: true,
      entries: commandsOf(content),
    },
  ];
}

/** All groups except commands. */
function settingsOf(content: ConfigFile): [title: string, entries: Entries][] {
  const {
    skills,
    grants,
    secrets,
    contextRoots,
    imports,
    installs,
    listen,
    telemetry,
    store,
    audit,
    dataDir,
    ...rest
  } = content;
  const { checkpoints, ...auditRest } = audit ?? {};
  const { network: importsNetwork, ...importsRest } = imports ?? {};
  const { network: installsNetwork, dependencies, ...updates } = installs ?? {};
  const { python, node, ...packages } = dependencies ?? {};
  return [
    [
      'Skill folders and their tiers',
      (skills ?? []).map(({ path, tier, namespace }) => [
        tier,
        namespace === undefined ? path : `${path} (as ${namespace}:…)`,
      ]),
    ],
    [
      'Grants outside the sandbox',
      Object.entries(grants ?? {}).flatMap(([id, { mcpServers: _, host, user: __, ...capabilities }]) =>
        host === true && capabilityKinds(capabilities).length === 0 ? [] : [[id, capabilities]],
      ),
    ],
    ['Secrets that Ambit reads', Object.entries(secrets ?? {}).filter(([, place]) => !('command' in place))],
    [
      'Folders that callers may gather context from',
      (contextRoots ?? []).map((path) => ['contextRoots', path]),
    ],
    [
      'Network',
      present({
        listen,
        'imports.network': importsNetwork,
        'installs.network': installsNetwork,
        'installs.dependencies.python': python ?? undefined,
        'installs.dependencies.node': node ?? undefined,
        telemetry,
        store,
      }),
    ],
    [
      'Files that it writes',
      present({
        dataDir,
        'audit.checkpoints.file': checkpoints && 'file' in checkpoints ? checkpoints.file : undefined,
      }),
    ],
    [
      'Other settings',
      present({
        ...rest,
        imports: filled(importsRest),
        installs: filled(updates),
        'installs.dependencies': filled(packages),
        audit: filled(auditRest),
      }),
    ],
  ];
}

/** `undefined` for an object without keys. */
function filled<Value extends object>(value: Value): Value | undefined {
  return Object.keys(value).length > 0 ? value : undefined;
}

function hostGrantsOf({ grants = {} }: ConfigFile): Entries {
  return Object.entries(grants).flatMap(
    ([id, { host, user }]): Entries =>
      host === true ? [[`grants.${id}.host`, user === undefined ? true : `as ${user}`]] : [],
  );
}

function mcpServersOf({ grants = {} }: ConfigFile): Entries {
  return Object.entries(grants).flatMap(([id, { mcpServers }]) =>
    Object.entries(mcpServers).map(([name, value]): Entries[number] => [
      `grants.${id}.mcpServers.${name}`,
      value,
    ]),
  );
}

function commandsOf({ secrets = {}, audit: { checkpoints } = {} }: ConfigFile): Entries {
  const commands = Object.entries(secrets).flatMap(
    ([name, place]): Entries => ('command' in place ? [[`secrets.${name}.command`, place.command]] : []),
  );
  if (checkpoints && 'command' in checkpoints)
    commands.push(['audit.checkpoints.command', checkpoints.command]);
  return commands;
}

function present(values: Readonly<Record<string, unknown>>): Entries {
  return Object.entries(values).filter(([, value]) => value !== undefined);
}

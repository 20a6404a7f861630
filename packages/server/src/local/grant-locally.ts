import { existsSync } from 'node:fs';
import { dirname, resolve } from 'node:path';
import type { Skill } from '@ambit/core';
import { Capabilities } from '@ambit/core/execute';
import { UsageError } from '@ambit/core/outcome';
import { grantNotes } from '@ambit/core/policy';
import { describeIssues, parseLargeYaml, usableSkill } from '@ambit/core/skill';
import type { Environment } from '@ambit/runtime';
import type { Config } from '../config/config.ts';
import { parseConfigFile } from '../config/file/config-file.ts';
import { withHome } from '../config/file/plain-values.ts';
import { type Settings, settingsSchema } from '../config/file/settings.ts';
import { fileIssues } from '../config/file-issues.ts';
import { generalConfig } from '../config/general-config.ts';
import { documentOf } from '../config/layers.ts';
import { type ChangedFile, readText, reviewOf } from '../propose/changed-files.ts';
import { addToYaml, type GrantItems, removeFromYaml, without } from '../propose/yaml-edits.ts';
import { catalogOf, policyOf } from '../setup/skill-service.ts';
import { editableFile } from '../trust/scope-text.ts';
import { type AppliedChanges, applyChanges, inTurn, orUsageError } from './apply-changes.ts';

/** The items of a grant, as a person types them. */
export interface TypedItems {
  /** Paths: relative ones start at the folder of the command. `workspace` is the call's own folder. */
  read: readonly string[];
  write: readonly string[];
  /** Hosts, or rules in YAML: `{ host: a.example, methods: [GET] }`. */
  network: readonly string[];
  exec: readonly string[];
  env: readonly string[];
  /** `NAME@HOST` */
  secrets: readonly string[];
  /** `NAME=VALUE`, as in the configuration: `memoryBytes=1GiB`. */
  limits: readonly string[];
}

/** A change of a grant that is not made yet. */
export interface GrantChange extends ChangedFile {
  skill: string;
  /** Identifies the change. A change of other items or another text has another name. */
  review: string;
  /** Warnings about the items, one sentence each. */
  notes: readonly string[];
}

interface GrantSources {
  config: Config;
  environment: Environment;
  home: string;
  cwd: string;
}

/**
 * Adds items to the grant of a skill in the configuration, or removes them. Removing no items removes the whole grant. While
 * `decide` looks at the change, no other command changes the configuration; the change is made if it returns true. Rejects with
 * `SKILL_NOT_FOUND`, and with `USAGE_INVALID` for items that are no capabilities and for a file that cannot be changed.
 */
export async function changeGrant(
  sources: GrantSources,
  skillId: string,
  { items, remove }: { items: TypedItems; remove: boolean },
  decide: (change: GrantChange) => boolean,
): Promise<{ change: GrantChange; applied: AppliedChanges | null }> {
  const { config } = sources;
  if (config.clusterPolicy?.own != null)
    throw new UsageError(
      `the policy of the cluster (revision ${config.clusterPolicy.revision}) is in force, not the grants in ${config.file}. Change them there and publish them with: ambit cluster policy publish`,
    );
  const typed = grantItems(items, { ...sources, remove });
  return inTurn(config, async () => {
    const change = await plannedChange(sources, skillId, { typed, remove });
    const isMade = change.before !== change.after && decide(change);
    return { change, applied: isMade ? await applyChanges(config, [change]) : null };
  });
}

async function plannedChange(
  sources: GrantSources,
  skillId: string,
  { typed, remove }: { typed: GrantItems | undefined; remove: boolean },
): Promise<GrantChange> {
  const { config, environment, home } = sources;
  const path = editableFile(config);
  if (path === undefined)
    throw new UsageError('this user has no home folder for a configuration; name a file with --config');
  const before = existsSync(path) ? await orUsageError(readText(path)) : undefined;
  const catalog = catalogOf(config, environment);
  try {
    const isGranted = Object.hasOwn(config.grants, skillId);
    // A grant of a skill that is gone can be removed.
    const skill = remove && isGranted ? undefined : await usableSkill(catalog, skillId);
    const id = skill?.id ?? skillId;
    const after = remove ? removed(before ?? '', id, typed, home) : added(before ?? '', id, typed);
    const changed = readBack({ path, after }, home);
    const notes = skill === undefined || remove ? [] : notesOn(skill, typed, { ...sources, changed });
    const review = reviewOf([{ path, before, after }]);
    return { skill: id, path, before, after, review, notes };
  } finally {
    await catalog.close();
  }
}

function added(text: string, id: string, typed: GrantItems | undefined): string {
  if (typed === undefined)
    throw new UsageError(
      `name what to grant to ${id}, such as --read /srv/data or --network api.example.com. To see what it asked for, run: ambit skills propose ${id}`,
    );
  return addToYaml(text, ['grants', id], typed);
}

function removed(text: string, id: string, typed: GrantItems | undefined, home: string): string {
  if (typed === undefined) {
    const isThere = Object.hasOwn((parseLargeYaml(text) as Partial<Settings> | null)?.grants ?? {}, id);
    if (!isThere)
      throw new UsageError(`${id} has no grant in the configuration, so there is nothing to remove`);
    return without(text, ['grants', id]);
  }
  const expanded = (value: unknown): unknown => (typeof value === 'string' ? withHome(value, home) : value);
  const { text: left, missing } = removeFromYaml(text, ['grants', id], typed, expanded);
  if (missing.length > 0)
    throw new UsageError(
      `${id} is not granted exactly ${missing.join(', ')}, so nothing was removed. To see its grant, run: ambit grants ${id}`,
    );
  return left;
}

/** The settings of the changed file. Throws `USAGE_INVALID` for a file that could not be loaded again. */
function readBack({ path, after }: Pick<ChangedFile, 'path' | 'after'>, home: string): Settings {
  const schema = settingsSchema(dirname(path), home);
  const { layer, issues } = parseConfigFile(Buffer.from(after), path, schema);
  const settings = documentOf(layer) as Settings;
  const all = issues.length > 0 ? issues : fileIssues(settings).map((issue) => `${path}: ${issue}`);
  if (all.length > 0) throw new UsageError(`nothing was changed, because of this result: ${all.join('; ')}`);
  return settings;
}

function notesOn(
  skill: Skill,
  typed: GrantItems | undefined,
  { config, home, changed }: GrantSources & { changed: Settings },
): string[] {
  if (typed === undefined) return [];
  const { grants } = generalConfig(changed);
  const policy = policyOf({ ...config, grants });
  const sourceless = typed.secrets.filter(({ name }) => !Object.hasOwn(config.secrets, name));
  return [
    ...grantNotes(policy, skill, typed, { home, dataDir: config.dataDir, exists: existsSync }),
    ...[...new Set(sourceless.map(({ name }) => name))].map(
      (name) =>
        `the secret ${name} has no source yet: add it to the configuration, secrets: { ${name}: { env: ${name} } }`,
    ),
  ];
}

/** The items in the form of a configuration; `undefined`: there are none. */
function grantItems(
  { read, write, network, exec, env, secrets, limits }: TypedItems,
  { home, cwd, remove }: GrantSources & { remove: boolean },
): GrantItems | undefined {
  const all = [read, write, network, exec, env, secrets, limits];
  if (all.every((each) => each.length === 0)) return undefined;
  const path = (text: string): string => (text === 'workspace' ? text : resolve(cwd, withHome(text, home)));
  const asked = {
    filesystem: { read: read.map(path), write: write.map(path) },
    network: network.map(rule),
    exec,
    env,
    secrets: secretsOf(secrets),
  };
  const parsed = Capabilities.safeParse(asked);
  if (!parsed.success) throw new UsageError(describeIssues(parsed.error, Capabilities, asked).join('; '));
  return { ...parsed.data, limits: Object.fromEntries(limits.map((text) => limitOf(text, remove))) };
}

function rule(text: string): unknown {
  if (!text.trimStart().startsWith('{')) return text;
  try {
    return parseLargeYaml(text);
  } catch (cause) {
    throw new UsageError(`--network ${text} is not YAML: ${(cause as Error).message.split('\n', 1)[0]}`, {
      cause,
    });
  }
}

/** The hosts of a secret are one entry. */
function secretsOf(typed: readonly string[]): { name: string; hosts: string[] }[] {
  const pairs = typed.map((text) => {
    const at = text.indexOf('@');
    if (at < 1 || at === text.length - 1)
      throw new UsageError(
        `write a secret with the host that gets it: --secret GITHUB_TOKEN@api.github.com, not ${text}`,
      );
    return { name: text.slice(0, at), host: text.slice(at + 1) };
  });
  return [...Map.groupBy(pairs, ({ name }) => name)].map(([name, same]) => ({
    name,
    hosts: [...new Set(same.map(({ host }) => host))],
  }));
}

/** To be removed, a limit needs no value. */
function limitOf(text: string, remove: boolean): [name: string, value: string | number] {
  const [, name, value = remove ? '' : undefined] = /^([A-Za-z]+)(?:=(.+))?$/.exec(text) ?? [];
  if (name === undefined || value === undefined)
    throw new UsageError(`write a limit with its value: --limit memoryBytes=1GiB, not ${text}`);
  return [name, /^\d+$/.test(value) ? Number(value) : value];
}

import type { Skill } from '@ambit/core';
import type { Config } from '@ambit/server/config';
import { Refusal } from '@ambit/server/errors';
import { allSkills } from '../command/all-skills.ts';
import type { CommandContext } from '../command/define-command.ts';
import type { StoredKind } from '../command/value-spec.ts';
import type { Candidate } from './completions.ts';

/** Short, because the user waits at a prompt. */
const waitMs = 2000;

const callsMax = 30;

/**
 * Finds the possible values in the configuration, its skill folders and keys, and in a daemon that runs. Starts nothing and
 * writes nothing. Rejects like what it reads.
 */
export async function storedValues(
  { client, terminal: { env } }: Pick<CommandContext, 'client' | 'terminal'>,
  config: Config,
  kind: StoredKind,
): Promise<readonly Candidate[]> {
  const running = () => client(config, { onlyRunning: true, signal: AbortSignal.timeout(waitMs) });
  const skills = async () => (await import('@ambit/server/local')).catalogOf(config, env).list();
  switch (kind) {
    case 'skill': {
      const daemon = await running().catch(withoutDaemon);
      if (daemon !== undefined)
        return (await allSkills(daemon)).skills.map(({ id, description }) => ({
          value: id,
          about: description,
        }));
      return (await skills()).map(({ id, manifest }) => ({ value: id, about: manifest.description }));
    }
    case 'installed':
      return Object.keys(config.installed).map((value) => ({ value, about: '' }));
    case 'phase':
      return named(config.phases, await skills(), ({ sidecar }) => sidecar.phases);
    case 'agent':
      return named(config.agents, await skills(), ({ sidecar }) => sidecar.agents);
    case 'key':
      return (await (await import('@ambit/server/local')).listKeys(config, env))
        .filter(({ status, createdAt }) => status !== 'revoked' && createdAt !== undefined)
        .map(({ name, scopes }) => ({ value: name, about: scopes.join(', ') }));
    case 'workspace':
      return (await (await running()).workspaces.list()).map(({ id, label, fileCount }) => ({
        value: id,
        about: `${label ?? ''} ${fileCount} files`.trim(),
      }));
    case 'session':
      return (await (await running()).console.sessions()).map(({ id, lastUsedAt }) => ({
        value: id,
        about: `last used ${lastUsedAt}`,
      }));
    case 'execution':
      return (await (await running()).audit.page({ limit: callsMax })).records.map(
        ({ executionId, skill, request, outcome, startedAt }) => ({
          value: executionId,
          about: `${skill?.id ?? request ?? '-'} ${outcome} ${startedAt}`,
        }),
      );
    default:
      return kind satisfies never;
  }
}

function withoutDaemon(error: unknown): undefined {
  if (error instanceof Refusal && error.code === 'DAEMON_UNREACHABLE') return undefined;
  throw error;
}

/** The names in the configuration and in the skills, each once, ignoring case. */
function named(
  configured: object,
  skills: readonly Skill[],
  of: (skill: Skill) => readonly string[] | undefined,
): readonly Candidate[] {
  const names = [...Object.keys(configured), ...skills.flatMap((skill) => of(skill) ?? [])];
  const once = new Map(
    names
      .filter((name) => name !== '*')
      .toReversed()
      .map((name) => [name.toLowerCase(), name]),
  );
  return [...once.values()].sort().map((value) => ({ value, about: '' }));
}

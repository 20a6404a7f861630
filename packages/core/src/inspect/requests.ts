import type { Capabilities } from '../capability/capabilities.ts';
import { endpointOf, ruleText } from '../egress/network-rule.ts';
import type { Sidecar } from '../skill/sidecar.ts';
import { declaredRuns } from '../skill/skill.ts';
import { safeText } from './excerpt.ts';
import type { FoundPlace } from './finding.ts';
import type { InspectedSkill } from './inspected-skill.ts';
import type { ScriptFacts } from './script/script-facts.ts';

/** The capabilities of every run in the sidecar. */
export function requestedCapabilities(sidecar: Sidecar | undefined): Capabilities[] {
  return sidecar === undefined ? [] : declaredRuns({ sidecar }).map(({ run }) => run.capabilities);
}

/** Returns a skill's requests, one sentence a line, safe for terminals and models. */
export function requestTexts(
  { sidecar, allowedTools = [] }: Pick<InspectedSkill, 'sidecar' | 'allowedTools'>,
  scripts: readonly ScriptFacts[],
): string[] {
  const runs = sidecar === undefined ? [] : declaredRuns({ sidecar });
  const lines = runs.flatMap(({ name, run: { entry, runtime, capabilities } }) => [
    `${name === undefined ? 'Runs' : `${safeText(name)} runs`} ${safeText(entry)} ${runtime === 'wasm' ? 'as WebAssembly' : 'as a program'}, in the sandbox`,
    ...capabilityTexts(capabilities).map((text) => `  ${text}`),
  ]);
  const isAny = runs.length > 0 || scripts.length > 0;
  return [
    ...(isAny ? [] : ['Nothing runs: it has only instructions']),
    ...lines,
    ...(runs.length === 0 && scripts.length > 0
      ? ['Its scripts run with their interpreter and a workspace, in the sandbox; it requests nothing else']
      : []),
    ...(allowedTools.length === 0
      ? []
      : [`Asks your agent for the tools ${safeText(allowedTools.join(' '))}; Ambit grants none of them`]),
    ...Object.keys(sidecar?.mcpServers ?? {}).map(
      (name) => `Asks your agent for the MCP server ${safeText(name)}`,
    ),
    ...(sidecar?.context ?? []).map((each) =>
      each.type === 'file' || each.type === 'phase_artifact'
        ? `Adds the file ${safeText(each.path)} of the project to prompts`
        : `Adds ${each.type === 'git_status' ? 'the git status' : 'the task’s metadata'} to prompts`,
    ),
  ];
}

/** Each requested capability in words. */
function capabilityTexts(capabilities: Capabilities): string[] {
  const { filesystem, network, env, secrets, exec, state, memory, host } = capabilities;
  const list = (names: readonly string[]): string =>
    safeText(
      names
        .map((name) =>
          name === 'granted' ? 'what you grant' : name === 'workspace' ? 'its workspace' : name,
        )
        .join(', '),
    );
  const texts = [
    host === true ? 'does everything that your user may do: files, network, environment and programs' : '',
    filesystem.read.length > 0 ? `reads ${list(filesystem.read)}` : '',
    filesystem.write.length > 0 ? `reads and writes ${list(filesystem.write)}` : '',
    network.length > 0 ? `connects to ${list(network.map(ruleText))}` : '',
    ...secrets.map(({ name, hosts }) => `sends the secret ${name} to ${list(hosts)}`),
    env.length > 0 ? `gets the environment variables ${list(env)}` : '',
    exec.length > 0 ? `starts ${list(exec)}` : '',
    state === 'none'
      ? ''
      : state === 'read'
        ? 'reads what it stored in earlier calls'
        : 'stores values for later calls',
    memory === 'none' ? '' : 'reads the memory that callers send',
  ].filter((text) => text !== '');
  return texts.length === 0 ? ['requests nothing'] : texts;
}

const broadPath = /^\/(?:$|home(?:\/[^/]+)?$|root$|Users(?:\/[^/]+)?$|etc$|var$|mnt$|media$)/;

/** Requests that cover more than one skill can need. */
export function broadRequestFindings(requested: readonly Capabilities[]): FoundPlace[] {
  const found = (what: string, why: string): FoundPlace => ({
    rule: 'request-broad',
    file: 'ambit.yaml',
    sentence: `The skill requests ${safeText(what)}: ${why}. Grant less, or nothing.`,
  });
  return requested.flatMap(({ filesystem, network, exec, host }) => [
    ...(host === true ? [found('host', 'that is everything that a user may do')] : []),
    ...[...filesystem.read, ...filesystem.write]
      .filter((path) => broadPath.test(path))
      .map((path) => found(path, 'that is everything of a user, or of the machine')),
    ...network
      .filter(
        (rule) =>
          rule !== 'granted' && /^\*?\.?(?:[a-z]{2,6})?$/i.test(endpointOf(rule).host.replace('*.', '*')),
      )
      .map((rule) => found(ruleText(rule), 'that is nearly every host')),
    ...exec
      .filter((name) => /^(?:sudo|su|docker|podman|ssh|nc|ncat|socat|nsenter|crontab|systemctl)$/.test(name))
      .map((name) => found(name, 'the program reaches beyond the skill')),
  ]);
}

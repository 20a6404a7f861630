import type { Capabilities } from '../../capability/capabilities.ts';
import { liesWithin } from '../../capability/filesystem.ts';
import { programsNamed } from '../../capability/program-sets.ts';
import { endpointOf, hostMatches } from '../../egress/network-rule.ts';
import { safeText } from '../excerpt.ts';
import type { FoundPlace, InspectionSeverity } from '../finding.ts';
import type { NamedFact, ScriptFacts } from './script-facts.ts';

/**
 * Finds what scripts name and no run of the sidecar requests. `requested` is empty for a skill without a
 * `run`: then it is a list of what the operator would have to grant, so the findings are notes.
 */
export function undeclaredFindings(
  scripts: readonly ScriptFacts[],
  requested: readonly Capabilities[],
  lineOf: (file: ScriptFacts['file'], index: number) => number,
): FoundPlace[] {
  const severity: InspectionSeverity = requested.length === 0 ? 'note' : 'medium';
  const places: FoundPlace[] = [];
  for (const facts of scripts) {
    const { file } = facts;
    const add = (
      rule: FoundPlace['rule'],
      found: readonly NamedFact[],
      sentence: (names: string) => string,
    ) => {
      const [first] = found;
      if (first === undefined) return;
      // Programs are granted together, so their list is longer.
      const shownMax = rule === 'undeclared-program' ? programsMax : namesMax;
      const shown = found.slice(0, shownMax).map(({ name }) => safeText(name));
      const names =
        shown.join(', ') + (found.length > shownMax ? ` and ${found.length - shownMax} more` : '');
      places.push({
        rule,
        file: file.path,
        line: lineOf(file, first.index),
        sentence: sentence(names),
        severity: rule === 'package-missing' ? undefined : severity,
      });
    };
    add(
      'undeclared-network',
      facts.connects ? facts.hosts.filter(({ name }) => !isHostRequested(name, requested)) : [],
      (names) =>
        `The script names ${names}, which the skill does not request. The sandbox refuses them; before you grant one, find out what is sent there.`,
    );
    add(
      'undeclared-program',
      facts.programs.filter(({ name }) => !isProgramRequested(name, requested, facts.language)),
      (names) =>
        `The script starts ${names}, which the skill does not request. The sandbox has only requested and granted programs; grant what it needs.`,
    );
    add(
      'undeclared-environment',
      facts.environment.filter(({ name }) => !usual.has(name) && !isVariableRequested(name, requested)),
      (names) =>
        `The script reads ${names}, which the skill does not request. The sandbox has only requested and granted variables; check what it does with them.`,
    );
    add(
      'undeclared-path',
      facts.paths.filter(({ name }) => !ordinaryPath.test(name) && !isPathRequested(name, requested)),
      (names) =>
        `The script names ${names}, which the skill does not request. The sandbox does not have them; grant only what it needs.`,
    );
    add('package-missing', facts.packages, (names) => {
      const what = facts.language === 'python' ? 'Python packages' : 'packages';
      return `The script imports ${what} that do not come with the language (usual names: ${names}). Install them from the usual registry, if you trust them; the skill cannot.`;
    });
  }
  return places;
}

const namesMax = 8;

const programsMax = 20;

/** The variables that are set in the sandbox, or harmless. */
const usual: ReadonlySet<string> = new Set(
  'HOME PATH USER LANG LC_ALL TMPDIR TEMP TMP PWD OLDPWD SHELL TERM COLUMNS LINES DEBUG VERBOSE NO_COLOR IFS BASH_SOURCE BASH_VERSION RANDOM SECONDS LINENO HOSTNAME UID EUID PPID OPTARG OPTIND REPLY PYTHONPATH NODE_ENV CI LOGNAME FUNCNAME PIPESTATUS'.split(
    ' ',
  ),
);

/** In the sandbox, or part of a URL, a type or a pattern. */
const ordinaryPath =
  /^\/(?:tmp|dev|proc|usr\/(?:local\/)?s?bin|s?bin|workspace|usr\/share|usr\/lib|[\w.*-]{0,64}\/?$)(?:\/|$)?|^\/[a-z]{1,3}$/;

function isHostRequested(host: string, requested: readonly Capabilities[]): boolean {
  if (
    /^(?:localhost|127\.0\.0\.1|0\.0\.0\.0)(?::|$)|(?:^|\.)(?:w3\.org|schemas\.\w+\.(?:org|com)|json-schema\.org|schema\.org|purl\.org)$|^schemas?\./.test(
      host,
    )
  )
    return true;
  return requested.some(({ network, secrets }) =>
    [...network, ...secrets.flatMap(({ hosts }) => hosts)].some(
      (rule) => rule === 'granted' || hostMatches(endpointOf(rule).host, host.replace(/:\d+$/, '')),
    ),
  );
}

function isProgramRequested(name: string, requested: readonly Capabilities[], language: string): boolean {
  if (/^python3?$/.test(name) && language === 'python') return true;
  if (/^(?:ba|z|da)?sh$/.test(name) && language === 'shell') return true;
  return requested.some(({ exec }) => exec.some((item) => programsNamed(item).programs.includes(name)));
}

function isVariableRequested(name: string, requested: readonly Capabilities[]): boolean {
  return requested.some(
    ({ env, secrets }) => env.includes(name) || secrets.some((secret) => secret.name === name),
  );
}

function isPathRequested(path: string, requested: readonly Capabilities[]): boolean {
  return requested.some(({ filesystem: { read, write } }) =>
    [...read, ...write].some((root) => root === 'granted' || liesWithin(path.replace(/\/$/, ''), root)),
  );
}

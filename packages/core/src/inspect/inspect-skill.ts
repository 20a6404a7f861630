import { moduleAt } from '../skill/python-module.ts';
import { skillFileOf } from '../skill/skill.ts';
import { requestCombination, scriptCombinations, withNetwork } from './combinations.ts';
import type { DeclaredNeed } from './declared/declared-lines.ts';
import { declaredNeeds } from './declared/declared-needs.ts';
import { safeText } from './excerpt.ts';
import { bytecodeFindings } from './file/bytecode.ts';
import { contentFindings } from './file/file-contents.ts';
import { hiddenCharacterFindings } from './file/hidden-characters.ts';
import { secretFindings } from './file/secrets.ts';
import { type FoundPlace, findingCollector, type InspectionFinding } from './finding.ts';
import { type InspectedSkill, type InspectionPorts, type TextFile, textFileOf } from './inspected-skill.ts';
import { broadRequestFindings, requestedCapabilities, requestTexts } from './requests.ts';
import { lineFinder, scanText } from './scan-text.ts';
import { isUsualProgram, type NamedFact, type ScriptFacts, scriptFacts } from './script/script-facts.ts';
import { undeclaredFindings } from './script/undeclared.ts';
import { type WasmNeeds, wasmNeeds } from './script/wasm-needs.ts';
import { similarNameFindings } from './similar-name.ts';
import { exfiltrationRules } from './text/exfiltration.ts';
import { installerRules } from './text/installers.ts';
import { instructionRules } from './text/instructions.ts';
import { missingFiles } from './text/missing-files.ts';
import { payloadRules } from './text/payloads.ts';
import { persistenceRules } from './text/persistence.ts';
import { textFindings } from './text/text-rule.ts';

const textRules = [
  ...installerRules,
  ...persistenceRules,
  ...instructionRules,
  ...payloadRules,
  ...exfiltrationRules,
];

/** The names in the text of a script. All are safe for terminals and models. */
export interface InspectedScript {
  path: string;
  language: string;
  imports: string[];
  packages: string[];
  programs: string[];
  hosts: string[];
  environment: string[];
  paths: string[];
  /** The needs that Python in WebAssembly does not meet; `null`: it is not Python, or never runs there. */
  wasm: WasmNeeds | null;
}

/** The facts that a person should know before using a skill. */
export interface Inspection {
  /** The skill's requests, one sentence each. */
  requests: string[];
  /** The needs that it declares for other tools. */
  declares: DeclaredNeed[];
  scripts: InspectedScript[];
  /** The worst first. Empty does not mean safe. */
  findings: InspectionFinding[];
}

/**
 * Reads a skill for a person who has to decide about it. Runs nothing. Advice, not a boundary: text
 * can be worded so that no rule finds it, and the sandbox and the grants are the protection. Never
 * throws, whatever the bytes. The time is proportional to the bytes.
 */
export function inspectSkill(skill: InspectedSkill, ports: InspectionPorts): Inspection {
  const { id, files, hidden, sidecar, otherIds = [], allowedTools = [], metadata = {} } = skill;
  const requested = requestedCapabilities(sidecar);
  const paths = files.map(({ path }) => path);
  const modules = ownModules(paths);
  const present = new Set(paths);
  const found = findingCollector();
  found.add(bytecodeFindings(files));
  const scripts: ScriptFacts[] = [];
  const lines = new Map<TextFile, (index: number) => number>();
  for (const inspected of files) {
    const file = textFileOf(inspected);
    found.add(contentFindings(inspected, file !== undefined));
    if (file === undefined) continue;
    const lineOf = lineFinder(file.text);
    lines.set(file, lineOf);
    found.add(hiddenCharacterFindings(file, lineOf, ports));
    found.add(secretFindings(file, lineOf, ports));
    found.add(missingFiles(file, present, lineOf));
    const named = file.language === undefined ? undefined : scriptFacts(file, file.language, modules);
    const facts = named && withCommands(named, ports);
    for (const [rule, matches] of scanText(file.text, textRules)) {
      for (const place of textFindings(rule, matches, file, lineOf, ports))
        found.add([facts === undefined ? place : withNetwork(place, facts)]);
    }
    if (facts === undefined) continue;
    scripts.push(facts);
    found.add(scriptCombinations(facts, lineOf, ports));
  }
  found.add(undeclaredFindings(scripts, requested, (file, index) => lines.get(file)?.(index) ?? 1));
  const declared = declaredNeeds([...lines.keys()], metadata, skillFileOf({ files }));
  found.add(declared.findings);
  found.add(broadRequestFindings(requested));
  found.add(requestCombination(requested, allowedTools.length > 0));
  found.add(similarNameFindings(id, otherIds));
  found.add(hiddenSettings(hidden));
  const inWasm = wasmNeeds(
    scripts.map(({ file }) => file),
    modules,
  );
  return {
    requests: requestTexts({ sidecar, allowedTools }, scripts),
    declares: declared.needs,
    scripts: scripts.map((facts) => ({
      ...inspectedScript(facts),
      wasm: inWasm.get(facts.file.path) ?? null,
    })),
    findings: found.findings(),
  };
}

/** Adds the words that this machine has programs for. */
function withCommands(facts: ScriptFacts, { hasProgram }: InspectionPorts): ScriptFacts {
  const known = new Set(facts.programs.map(({ name }) => name));
  const found = facts.commands.filter(
    ({ name }) => !known.has(name) && !isUsualProgram(name, facts.language) && hasProgram?.(name) === true,
  );
  return found.length === 0 ? facts : { ...facts, programs: [...facts.programs, ...found] };
}

function inspectedScript({ file, language, ...facts }: ScriptFacts): Omit<InspectedScript, 'wasm'> {
  const names = (found: readonly NamedFact[]): string[] =>
    found.slice(0, 100).map(({ name }) => safeText(name));
  return {
    path: file.path,
    language,
    imports: names(facts.imports),
    packages: names(facts.packages),
    programs: names(facts.programs),
    hosts: names(facts.hosts),
    environment: names(facts.environment),
    paths: names(facts.paths),
  };
}

/** The names by which the skill's scripts import one another. */
function ownModules(paths: readonly string[]): ReadonlySet<string> {
  return new Set(
    paths.flatMap((path) => {
      const isPython = moduleAt(path) !== undefined || path.endsWith('.py');
      return isPython ? path.replace(/\.py$/, '').split('/') : [];
    }),
  );
}

/** Settings of agents and editors, which some of them load from a folder that they open. */
function hiddenSettings(hidden: readonly string[]): FoundPlace[] {
  return hidden
    .filter((path) =>
      /(?:^|\/)\.(?:claude|cursor|vscode|idea|gemini|codex|windsurf|mcp\.json|envrc|devcontainer|husky|githooks)(?:\/|$)/i.test(
        path,
      ),
    )
    .map((path) => ({
      rule: 'hidden-settings',
      file: path,
      sentence:
        'Some agents and editors load settings, hooks and servers from here when they open the folder. Ambit ignores hidden files; read them before you open the folder elsewhere.',
    }));
}

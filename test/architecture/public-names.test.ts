import { globSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import ts from 'typescript';
import { expect, test } from 'vitest';
import { repository } from '../support/daemon-process.ts';

/** The public API of core, sorted. */
const publicNames = {
  '@ambit/core': [
    'BrokenSkill',
    'Catalog',
    'Composition',
    'CompositionInput',
    'Selection',
    'SelectionRequest',
    'Skill',
    'SkillError',
    'SkillErrorCode',
    'agentIndex',
    'composePrompt',
    'explainText',
    'isExecutable',
    'leftOutText',
    'modelDescription',
    'modelLine',
    'modelSchema',
    'modelText',
    'payloadSchema',
    'selectSkills',
    'skillContent',
  ],
  '@ambit/core/audit': [
    'Actor',
    'AuditEvent',
    'AuditLog',
    'AuditQuery',
    'AuditReader',
    'CallRecord',
    'EntryPoint',
    'PayloadRecording',
    'callRecord',
  ],
  '@ambit/core/execute': [
    'CallBounds',
    'CallerInput',
    'Capabilities',
    'ExecuteDeps',
    'ExecuteRequest',
    'ExecuteResult',
    'Grant',
    'Narrowing',
    'Outcome',
    'Policy',
    'PolicySettings',
    'RunEvent',
    'RunInput',
    'RunObserver',
    'RunResult',
    'SharedMemory',
    'SkillExecutor',
    'SkillState',
    'StateError',
    'StateTexts',
    'Tier',
    'ToolSkill',
    'asToolSkill',
    'executeSkill',
    'executionQueue',
    'executorFor',
    'grantCall',
    'policyFrom',
    'sharedMemory',
    'stateBounds',
  ],
  '@ambit/core/legacy': ['buildSkillEnhancedPrompt', 'generateSkillMetadataXml', 'injectActiveSkillPrompts'],
  '@ambit/core/prompt': [
    'CountTokens',
    'GatheredContext',
    'Section',
    'availableSkillsIndex',
    'estimateTokens',
    'fillTemplate',
    'fitSections',
    'iterationPrompt',
    'renderContext',
    'withFallback',
  ],
  '@ambit/core/select': [
    'AgentSettings',
    'EffectiveMcpServers',
    'EffectiveTools',
    'LeftOutSkill',
    'PhaseSettings',
    'SelectedSkill',
    'SelectionCatalog',
    'SkillIndexEntry',
    'becauseText',
  ],
};

test('core exports exactly these names, each from one subpath', () => {
  const { '@ambit/core/internal': internal = [], ...open } = exportedNames('core');
  expect(open).toEqual(publicNames);
  const all = [...Object.values(open), internal].flat();
  expect(all.filter((name, at) => all.indexOf(name) !== at)).toEqual([]);
});

test('imports in docs from packages exist, and none is internal', () => {
  const known = Object.assign(
    {},
    ...['agents', 'ai', 'client', 'core', 'migrate', 'runtime'].map(exportedNames),
  );
  delete known['@ambit/core/internal'];
  const imported = ['*.md', 'docs/**/*.md', 'examples/*/*.md', 'packages/*/*.md']
    .flatMap((pattern) => globSync(pattern, { cwd: repository }))
    .flatMap((page) => importsOf(readFileSync(join(repository, page), 'utf8')));
  expect(imported.length).toBeGreaterThan(15);
  expect(imported.filter(({ name, from }) => !known[from]?.includes(name))).toEqual([]);
});

/** The exports of each entry point of a package, including types, sorted by code units. */
function exportedNames(name: string): Record<string, string[]> {
  const folder = join(repository, 'packages', name);
  const { exports } = JSON.parse(readFileSync(join(folder, 'package.json'), 'utf8'));
  return Object.fromEntries(
    Object.entries<string>(exports).map(([path, file]) => {
      const text = readFileSync(join(folder, file), 'utf8');
      const { statements } = ts.createSourceFile(file, text, ts.ScriptTarget.ESNext);
      return [`@ambit/${name}${path.slice(1)}`, statements.flatMap(namesOf).toSorted()];
    }),
  );
}

/** An entry point only re-exports names of other files. */
function namesOf(statement: ts.Statement): string[] {
  if (
    ts.isExportDeclaration(statement) &&
    statement.exportClause &&
    ts.isNamedExports(statement.exportClause)
  )
    return statement.exportClause.elements.map(({ name }) => name.text);
  throw new Error(`an entry point has more than lists of names: ${ts.SyntaxKind[statement.kind]}`);
}

function importsOf(page: string): { name: string; from: string }[] {
  const imports = page.matchAll(/^import (?:type )?\{([^}]*)\} from '(@ambit\/(?!as-sdk)[^']+)'/gm);
  return [...imports].flatMap(([, names = '', from = '']) =>
    names
      .split(',')
      .map((name) => name.trim().replace(/^type /, ''))
      .filter((name) => name !== '')
      .map((name) => ({ name, from })),
  );
}

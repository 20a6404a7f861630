import { globSync, readFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import ts from 'typescript';
import { expect, test } from 'vitest';
import { repository } from '../support/daemon-process.ts';

/** The names that the documentation tells programs to import from core, sorted. */
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

test('core exports what programs rely on from these subpaths, and each name from one', () => {
  const exported = exportedNames('core');
  for (const [subpath, names] of Object.entries(publicNames))
    expect(exported[subpath]).toEqual(expect.arrayContaining(names));
  const all = Object.values(exported).flat();
  expect(all.filter((name, at) => all.indexOf(name) !== at)).toEqual([]);
});

test('each name that core exports has a description, and is used outside core, other than by tests', () => {
  const others = globSync('{packages,bench,examples,docs}/**/*.{ts,tsx,md}', {
    cwd: repository,
    exclude: (path) => path === 'packages/core/src' || /(?:node_modules|testing|\.test\.tsx?)$/.test(path),
  });
  const used = new Set(
    others.flatMap((file) => readFileSync(join(repository, file), 'utf8').match(/\b[A-Za-z]\w+\b/g) ?? []),
  );
  const documented = new Set<string>(Object.values(publicNames).flat());
  const names = Object.values(entryPointsOf('core')).flatMap((file) => reExports(file));
  expect(names.length).toBeGreaterThan(300);
  expect(names.filter(({ name, from }) => !isDescribed(name, from)).map(({ name }) => name)).toEqual([]);
  const unused = names.filter(({ name }) => !used.has(name) && !documented.has(name));
  // The skills of tests are granted under the tiers as they are without a configuration.
  expect(unused.map(({ name }) => name)).toEqual(['tierCeilings']);
});

test('imports in docs from packages exist', () => {
  const known = Object.assign(
    {},
    ...['agents', 'ai', 'client', 'core', 'migrate', 'runtime'].map(exportedNames),
  );
  const imported = ['*.md', 'docs/**/*.md', 'examples/*/*.md', 'packages/*/*.md']
    .flatMap((pattern) => globSync(pattern, { cwd: repository }))
    .flatMap((page) => importsOf(readFileSync(join(repository, page), 'utf8')));
  expect(imported.length).toBeGreaterThan(15);
  expect(imported.filter(({ name, from }) => !known[from]?.includes(name))).toEqual([]);
});

/** The exports of each entry point of a package, including types, sorted by code units. */
function exportedNames(name: string): Record<string, string[]> {
  return Object.fromEntries(
    Object.entries(entryPointsOf(name)).map(([subpath, file]) => [
      subpath,
      reExports(file)
        .map((each) => each.name)
        .toSorted(),
    ]),
  );
}

/** The file of each entry point of a package. */
function entryPointsOf(name: string): Record<string, string> {
  const folder = join(repository, 'packages', name);
  const { exports } = JSON.parse(readFileSync(join(folder, 'package.json'), 'utf8'));
  return Object.fromEntries(
    Object.entries<string>(exports).map(([path, file]) => [
      `@ambit/${name}${path.slice(1)}`,
      join(folder, file),
    ]),
  );
}

/** The names that an entry point has, each with its file. An entry point only re-exports names of other files. */
function reExports(file: string): { name: string; from: string }[] {
  return parsed(file).statements.flatMap((statement) => {
    if (
      !ts.isExportDeclaration(statement) ||
      !statement.exportClause ||
      !ts.isNamedExports(statement.exportClause) ||
      !statement.moduleSpecifier ||
      !ts.isStringLiteral(statement.moduleSpecifier)
    )
      throw new Error(`an entry point has more than lists of names: ${ts.SyntaxKind[statement.kind]}`);
    const from = join(dirname(file), statement.moduleSpecifier.text);
    return statement.exportClause.elements.map(({ name }) => ({ name: name.text, from }));
  });
}

/** Whether a declaration of that name has a comment before it: a type may share the one of its schema. */
function isDescribed(name: string, file: string): boolean {
  return parsed(file).statements.some(
    (statement) => namesIn(statement).includes(name) && ts.getJSDocCommentsAndTags(statement).length > 0,
  );
}

function namesIn(statement: ts.Statement): string[] {
  if (ts.isVariableStatement(statement))
    return statement.declarationList.declarations.map((declared) => declared.name.getText());
  const { name } = statement as { name?: ts.Identifier };
  return name === undefined ? [] : [name.text];
}

function parsed(file: string): ts.SourceFile {
  return ts.createSourceFile(file, readFileSync(file, 'utf8'), ts.ScriptTarget.ESNext, true);
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

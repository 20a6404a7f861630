import { readFile, writeFile } from 'node:fs/promises';
import { dirname, join, relative } from 'node:path';
import { rolldown } from 'rolldown';
import { dts } from 'rolldown-plugin-dts';
import ts from 'typescript';
import { flatTypes } from './flat-types.mjs';

/**
 * Writes one declaration file for each entry of a package whose types are derived from packages that it does not depend on.
 * Throws if one still imports a package.
 * @param {ts.Program} program which has been compiled
 * @param {{ source: string, compiled: string, staged: string }} folders of the sources, of their compiled declarations,
 *   which are changed, and for the result
 * @param {readonly string[]} entries paths from `source`
 */
export async function writeFlatDeclarations(program, { source, compiled, staged }, entries) {
  const files = program.getSourceFiles().filter(({ fileName }) => fileName.startsWith(`${source}/`));
  const flat = flatTypes(program, files);
  for (const file of files) {
    const declarations = join(compiled, relative(source, file.fileName).replace(/\.ts$/, '.d.ts'));
    await writeFile(declarations, flatText(file, await readFile(declarations, 'utf8'), flat));
  }
  const bundle = await rolldown({
    input: entries.map((path) => join(compiled, path.replace(/\.ts$/, '.d.ts'))),
    plugins: [dts({ dtsOnly: true })],
    external: (name) => !name.startsWith('.') && !name.startsWith('/'),
  });
  const { output } = await bundle.write({
    dir: staged,
    entryFileNames: '[name].ts',
    chunkFileNames: 'common.d.ts',
  });
  await bundle.close();
  for (const { fileName } of output) {
    const { importedFiles } = ts.preProcessFile(await readFile(join(staged, fileName), 'utf8'), true, true);
    const imported = importedFiles.find(({ fileName: name }) => !/^(?:node:|\.\/)/.test(name));
    if (imported !== undefined)
      throw new Error(`the declarations ${fileName} import ${imported.fileName}, which is no dependency`);
  }
}

/**
 * Declarations with flat types, and imports for the names in those.
 * @param {ts.SourceFile} file their source
 * @param {string} text
 * @param {ReturnType<typeof flatTypes>} flat
 */
function flatText(file, text, flat) {
  const compiled = ts.createSourceFile('compiled.d.ts', text, ts.ScriptTarget.Latest);
  const sources = new Map(
    file.statements.filter(ts.isTypeAliasDeclaration).map((alias) => [alias.name.text, alias]),
  );
  const known = new Set(compiled.statements.flatMap(namesIn));
  /** @type {string[]} */
  const imports = [];
  let [flattened, end] = ['', 0];
  for (const alias of compiled.statements.filter(ts.isTypeAliasDeclaration)) {
    const derived = sources.get(alias.name.text);
    const written = derived === undefined ? undefined : flat(derived);
    if (written === undefined) continue;
    const { text: type, uses } = written;
    for (const used of uses) {
      const name = used.name.text;
      if (known.has(name)) continue;
      known.add(name);
      const path = relative(dirname(file.fileName), used.getSourceFile().fileName);
      imports.push(`import type { ${name} } from './${path}';\n`);
    }
    flattened += `${text.slice(end, alias.type.pos)} ${type}`;
    end = alias.type.end;
  }
  return imports.join('') + flattened + text.slice(end);
}

/**
 * The names that a statement declares or imports.
 * @param {ts.Statement} statement
 */
function namesIn(statement) {
  if (ts.isImportDeclaration(statement)) {
    const bindings = statement.importClause?.namedBindings;
    return bindings !== undefined && ts.isNamedImports(bindings)
      ? bindings.elements.map(({ name }) => name.text)
      : [];
  }
  const isNamed =
    ts.isTypeAliasDeclaration(statement) ||
    ts.isInterfaceDeclaration(statement) ||
    ts.isClassDeclaration(statement);
  return isNamed && statement.name !== undefined ? [statement.name.text] : [];
}

// Writes the types of @ambit/client from the API as the server's routes describe it, or with --check tells whether the
// committed file is what they give. No daemon runs for it.
import { readFile, writeFile } from 'node:fs/promises';
import { fileURLToPath } from 'node:url';
import openapiTypescript, { astToString } from 'openapi-typescript';
import ts from 'typescript';
import { apiDocument } from '../packages/server/src/index.ts';

/** Where the types are committed. */
export const apiTypesFile = fileURLToPath(
  new URL('../packages/client/src/api/generated.ts', import.meta.url),
);

/** The file as it is now to be. The document says no version, so that a release alone changes nothing. */
export async function apiTypes() {
  const document = apiDocument('0.0.0');
  const declarations = await openapiTypescript(answersOnly(document), {
    // A field with a default is one that a request may leave out.
    defaultNonNullable: false,
    // So that a request may be made of what nobody changes.
    immutable: true,
  });
  const used = declarations.filter(
    (each) => ts.isInterfaceDeclaration(each) && ['components', 'operations'].includes(each.name.text),
  );
  return `${head}${routesText(document)}${astToString(used)}`;
}

const head = '// Made by "npm run build:client" from the routes of packages/server; not to be edited.\n\n';

/**
 * The document without refusals, which are the same `Problem` with every route.
 * @param {import('../packages/server/src/index.ts').OpenApiDocument} document
 * @returns {any} openapi-typescript has types of its own for what it takes
 */
function answersOnly(document) {
  const paths = structuredClone(document.paths);
  for (const operation of Object.values(paths).flatMap((methods) => Object.values(methods))) {
    const responses = /** @type {Record<string, unknown>} */ (operation['responses']);
    for (const status of Object.keys(responses)) if (Number(status) >= 300) delete responses[status];
  }
  return { ...document, paths };
}

/**
 * By the names of the operations: method and path, and by what an answer is known. In few words: browsers fetch it.
 * @param {import('../packages/server/src/index.ts').OpenApiDocument} document
 */
function routesText({ paths, components }) {
  const operations = Object.entries(paths).flatMap(([path, methods]) =>
    Object.entries(methods).map(([method, operation]) => ({ path, method, operation })),
  );
  const rows = operations.map(
    ({ path, method, operation }) =>
      `  ${operation['operationId']}: ['${method.toUpperCase()}', '${path}'],\n`,
  );
  const fields = operations.flatMap(({ operation }) => {
    const names = answered(/** @type {any} */ (operation), /** @type {any} */ (components).schemas);
    return names.length === 0 ? [] : `  ${operation['operationId']}: '${names.join(' ')}',\n`;
  });
  return `/** Method and path of each route. */\nexport const routes = {\n${rows.join('')}} as const;\n
/** The fields that every JSON of a route's answer has, with blanks between them. */
export const answerFields: { readonly [Id in keyof operations]?: string } = {\n${fields.join('')}};\n\n`;
}

/**
 * The fields that are in all JSON that an operation succeeds with, in the order of the first.
 * @param {{ responses: Record<string, any> }} operation
 * @param {Record<string, any>} schemas
 * @returns {string[]}
 */
function answered({ responses }, schemas) {
  const [first = [], ...others] = Object.entries(responses)
    .filter(([status]) => Number(status) < 300)
    .flatMap(([, { content = {} }]) => content['application/json']?.schema ?? [])
    .map((schema) => required(schema, schemas));
  return first.filter((field) => others.every((fields) => fields.includes(field)));
}

/**
 * @param {any} schema
 * @param {Record<string, any>} schemas
 * @returns {string[]}
 */
function required(schema, schemas) {
  const name = schema.$ref?.split('/').at(-1);
  return (name === undefined ? schema : schemas[name]).required ?? [];
}

async function main() {
  const [made, committed] = [await apiTypes(), await readFile(apiTypesFile, 'utf8').catch(() => '')];
  if (made === committed) return;
  if (process.argv.includes('--check')) {
    console.error('the types of @ambit/client are not what the routes say: run "npm run build:client"');
    process.exitCode = 1;
    return;
  }
  await writeFile(apiTypesFile, made);
}

if (process.argv[1] === fileURLToPath(import.meta.url)) await main();

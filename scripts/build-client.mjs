// Writes the types of @ambit/client from the API of the server's routes. With --check, reports
// whether the committed file is current. Does not need a daemon.
import { readFile, writeFile } from 'node:fs/promises';
import { fileURLToPath } from 'node:url';
import openapiTypescript, { astToString } from 'openapi-typescript';
import ts from 'typescript';
import { openApiDocument } from '../packages/server/src/index.ts';

/** The path at which the types are committed. */
export const apiTypesFile = fileURLToPath(
  new URL('../packages/client/src/api/generated.ts', import.meta.url),
);

/**
 * The current content of the file. The document has no version, so a release alone changes nothing.
 */
export async function apiTypes() {
  const document = openApiDocument('0.0.0');
  const declarations = await openapiTypescript(successesOnly(document), {
    // A request may omit a field with a default.
    defaultNonNullable: false,
    // Requests may be made from read-only values.
    immutable: true,
  });
  const used = declarations.filter(
    (each) => ts.isInterfaceDeclaration(each) && ['components', 'operations'].includes(each.name.text),
  );
  return `${head}${routesText(document)}${astToString(used)}`;
}

const head = '// Made by "npm run build:client" from the routes of packages/server; not to be edited.\n\n';

/**
 * The document without refusals, which are the same `Problem` for every route.
 * @param {import('../packages/server/src/index.ts').OpenApiDocument} document
 * @returns {any} openapi-typescript has its own types for its input
 */
function successesOnly(document) {
  const paths = structuredClone(document.paths);
  for (const operation of Object.values(paths).flatMap((methods) => Object.values(methods))) {
    const responses = /** @type {Record<string, unknown>} */ (operation['responses']);
    for (const status of Object.keys(responses)) if (Number(status) >= 300) delete responses[status];
  }
  return { ...document, paths };
}

/**
 * Method, path and identifying fields by operation. Short, because browsers fetch it.
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
 * The fields in every JSON response that an operation succeeds with, in the order of the first one.
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
    console.error('the types of @ambit/client do not match the routes: run "npm run build:client"');
    process.exitCode = 1;
    return;
  }
  await writeFile(apiTypesFile, made);
}

if (process.argv[1] === fileURLToPath(import.meta.url)) await main();

/** JSON that is checked, canonical, or too large for the event loop, and objects without undefined members. */

export { canonicalJson } from './json/canonical-json.ts';
export { defined } from './json/defined.ts';
export type { JsonSchema, JsonSchemaChecker, SchemaIssue } from './json/json-schema.ts';
export { JsonText, type JsonWriter } from './json/json-text.ts';

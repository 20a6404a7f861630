import type { Json, JsonSchemaFields } from '../schemas.ts';
import { Html, html, inline } from './html.ts';

/** A schema: a table of its fields, or its type in one line. */
export function schemaView(schema: Json): Html {
  const shown = schema as JsonSchemaFields;
  const object = fieldsOf(shown);
  if (shown.contentSchema !== undefined)
    return html`<p>${inline(shown.description ?? '')} <i>A stream:</i> ${kind(shown.contentSchema)}</p>`;
  if (object === undefined)
    return html`<p>${kind(shown)} ${inline(shown.description ?? '')}</p>${alternatives(shown)}`;
  return fieldTable(object);
}

/** A schema's type in a few words: `string`, `list of Skill`, `"a" or "b"`. */
export function kindOf(schema: Json): Html {
  return kind(schema as JsonSchemaFields);
}

function fieldTable({ properties = {}, required = [] }: JsonSchemaFields): Html {
  const rows = Object.entries(properties).map(
    ([name, field]) => html`<tr>
<th scope="row"><code>${name}</code>${required.includes(name) ? html` <b title="required">*</b>` : undefined}</th>
<td>${kind(field)}${inline(field.description === undefined ? '' : ` ${field.description}`)}${nested(field)}</td>
</tr>`,
  );
  return rows.length === 0 ? html`<p>No fields.</p>` : html`<table class="fields">${rows}</table>`;
}

function nested(field: JsonSchemaFields): Html | undefined {
  const inner = fieldsOf(field) ?? fieldsOf(field.items ?? {});
  if (inner !== undefined) return html`<details><summary>fields</summary>${fieldTable(inner)}</details>`;
  return alternatives(field.items ?? field);
}

/** The members of a union that have fields. */
function alternatives(field: JsonSchemaFields): Html | undefined {
  const members = (field.anyOf ?? field.oneOf ?? []).filter((member) => fieldsOf(member) !== undefined);
  if (members.length === 0) return undefined;
  return html`<details><summary>${members.length === 1 ? 'fields' : 'one of these'}</summary>${members.map(fieldTable)}</details>`;
}

function fieldsOf(schema: JsonSchemaFields): JsonSchemaFields | undefined {
  return schema.properties === undefined ? undefined : schema;
}

function kind(schema: JsonSchemaFields): Html {
  const { $ref, enum: values, items, additionalProperties, default: preset } = schema;
  const members = schema.anyOf ?? schema.oneOf ?? schema.allOf;
  const usual =
    preset === undefined ? undefined : html` <small>default: <code>${JSON.stringify(preset)}</code></small>`;
  const named = $ref?.split('/').at(-1);
  if (named !== undefined) return html`<a href="#schema-${named}">${named}</a>${usual}`;
  if ('const' in schema) return html`<code>${JSON.stringify(schema.const)}</code>${usual}`;
  if (values !== undefined)
    return html`${listed(values.map((value) => html`<code>${JSON.stringify(value)}</code>`))}${usual}`;
  if (members !== undefined) return html`${listed(members.map(kind))}${usual}`;
  if (items !== undefined) return html`<i>list of</i> ${kind(items)}${bounds(schema)}${usual}`;
  if (typeof additionalProperties === 'object' && schema.properties === undefined)
    return html`<i>object of</i> ${kind(additionalProperties)}${usual}`;
  if (schema.contentMediaType === 'application/octet-stream') return html`<i>bytes</i>`;
  return html`<i>${[schema.type ?? 'anything'].flat().join(' or ')}</i>${bounds(schema)}${usual}`;
}

/** Members with the same text are listed once. */
function listed(members: readonly Html[]): Html {
  const words = new Set(members.map(({ text }) => text));
  return new Html([...words].join(' or '));
}

function bounds(schema: JsonSchemaFields): Html | undefined {
  const { minimum, exclusiveMinimum, maximum, minLength, maxLength, minItems, maxItems, format } = schema;
  const words = [
    format,
    minimum === undefined ? undefined : `from ${minimum}`,
    exclusiveMinimum === undefined ? undefined : `more than ${exclusiveMinimum}`,
    maximum === undefined ? undefined : `up to ${maximum}`,
    minLength === undefined ? undefined : `at least ${minLength} characters`,
    maxLength === undefined ? undefined : `at most ${maxLength} characters`,
    minItems === undefined ? undefined : `at least ${minItems} items`,
    maxItems === undefined ? undefined : `at most ${maxItems} items`,
  ].filter((word) => word !== undefined);
  return words.length === 0 ? undefined : html` <small>${words.join(', ')}</small>`;
}

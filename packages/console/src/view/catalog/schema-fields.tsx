import { visibleText } from '../../format/visible.ts';
import { Visible } from '../../part/visible.tsx';

/** A member of an object that a form can ask for. */
interface Field {
  name: string;
  kind: 'text' | 'number' | 'boolean' | 'choice' | 'json';
  options: readonly string[];
  description: string;
  isRequired: boolean;
}

/** The name of the field for a whole input. */
const wholeInput = 'whole input';

type Schema = boolean | Readonly<Record<string, unknown>> | null;

/** The members of an object schema; `undefined`: any JSON has to be typed. */
export function fieldsOf(schema: Schema): Field[] | undefined {
  if (schema === null || typeof schema === 'boolean') return undefined;
  const { type, properties, required } = schema;
  if (type !== 'object' || typeof properties !== 'object' || properties === null) return undefined;
  const names = Array.isArray(required) ? required : [];
  return Object.entries(properties).map(([name, member]) => ({
    name,
    ...kindOf(member),
    description: String((member as { description?: unknown }).description ?? ''),
    isRequired: names.includes(name),
  }));
}

/** The fields, or one for the whole input. `earlier` is the input of an earlier run. */
export function SchemaFields({ fields, earlier }: { fields: Field[] | undefined; earlier: unknown }) {
  if (fields === undefined)
    return (
      <label>
        Input, as JSON
        <textarea
          name={wholeInput}
          rows={6}
          defaultValue={earlier === undefined ? '' : JSON.stringify(earlier, null, 2)}
        />
      </label>
    );
  return (
    <>
      {fields.map((field) => (
        <div class="field">
          <label for={`field ${field.name}`}>
            <span>
              <Visible text={field.name} />
              {field.isRequired && ' (required)'}
              {field.kind === 'json' && ' (JSON)'}
            </span>
          </label>
          <FieldInput
            field={field}
            earlier={(earlier as Record<string, unknown> | undefined)?.[field.name]}
          />
          {field.description !== '' && (
            <span class="quiet">
              <Visible text={field.description} />
            </span>
          )}
        </div>
      ))}
    </>
  );
}

function FieldInput({
  field: { name, kind, options, isRequired },
  earlier,
}: {
  field: Field;
  earlier: unknown;
}) {
  const text =
    earlier === undefined ? '' : kind === 'json' ? JSON.stringify(earlier, null, 2) : String(earlier);
  const id = `field ${name}`;
  switch (kind) {
    case 'number':
      return <input id={id} name={name} type="number" step="any" required={isRequired} defaultValue={text} />;
    case 'boolean':
    case 'choice':
      return (
        <select id={id} name={name} required={isRequired}>
          <option value="" />
          {options.map((option) => (
            <option value={option} selected={option === text}>
              {visibleText(option)}
            </option>
          ))}
        </select>
      );
    default:
      return (
        <textarea
          id={id}
          name={name}
          rows={kind === 'json' ? 4 : 2}
          required={isRequired}
          defaultValue={text}
        />
      );
  }
}

/** The input that a form has. Throws a `SyntaxError` if a field of JSON is not JSON. */
export function inputOf(fields: readonly Field[] | undefined, given: FormData): unknown {
  if (fields === undefined) return JSON.parse(String(given.get(wholeInput) ?? '') || 'null');
  return Object.fromEntries(
    fields.flatMap(({ name, kind, isRequired }) => {
      const text = String(given.get(name) ?? '');
      if (text === '' && !(isRequired && kind === 'text')) return [];
      return [[name, kind === 'text' || kind === 'choice' ? text : JSON.parse(text)]];
    }),
  );
}

function kindOf(member: unknown): Pick<Field, 'kind' | 'options'> {
  const { type, enum: values } = member as { type?: unknown; enum?: unknown };
  if (Array.isArray(values) && values.every((value) => typeof value === 'string'))
    return { kind: 'choice', options: values };
  switch (type) {
    case 'string':
      return { kind: 'text', options: [] };
    case 'number':
    case 'integer':
      return { kind: 'number', options: [] };
    case 'boolean':
      return { kind: 'boolean', options: ['true', 'false'] };
    default:
      return { kind: 'json', options: [] };
  }
}

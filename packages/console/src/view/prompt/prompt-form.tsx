/** The fields of `POST /prompt` that the playground offers. */
export const promptFieldNames = [
  'phase',
  'agent',
  'tags',
  'budgetTokens',
  'promptTokens',
  'disclosure',
] as const;
export type PromptFields = Readonly<Partial<Record<(typeof promptFieldNames)[number], string>>>;

const disclosures = [
  ['metadata', 'descriptions'],
  ['index', 'two lines'],
  ['bodies', 'instructions'],
] as const;

/** The form that chooses skills, and how much of them. */
export function PromptForm({
  fields,
  known,
  show,
}: {
  fields: PromptFields;
  /** The configured phases and agents, which the fields suggest. */
  known: Readonly<Record<'phase' | 'agent', readonly string[]>>;
  show: (fields: PromptFields) => void;
}) {
  const text = (
    name: keyof PromptFields,
    label: string,
    hint = '',
    inputMode: 'text' | 'numeric' = 'text',
  ) => (
    <label>
      {label}
      <input
        name={name}
        inputMode={inputMode}
        placeholder={hint}
        list={`known-${name}`}
        defaultValue={fields[name] ?? ''}
        autocomplete="off"
      />
    </label>
  );
  return (
    <form
      class="filters"
      onSubmit={(event) => {
        event.preventDefault();
        const formData = new FormData(event.currentTarget);
        show(
          Object.fromEntries(
            promptFieldNames.flatMap((name) => {
              const value = String(formData.get(name)).trim();
              return value === '' ? [] : [[name, value]];
            }),
          ),
        );
      }}
    >
      {Object.entries(known).map(([name, values]) => (
        <datalist id={`known-${name}`}>
          {values.map((value) => (
            <option value={value} />
          ))}
        </datalist>
      ))}
      {text('phase', 'Phase', known.phase.join(', ') || 'implement')}
      {text('agent', 'Agent')}
      {text('tags', 'Tags', 'python, review')}
      {text('budgetTokens', 'Token limit for skills', '', 'numeric')}
      {text('promptTokens', 'Token limit in total', '', 'numeric')}
      <label>
        Show for each skill
        <select name="disclosure">
          {disclosures.map(([option, label]) => (
            <option value={option} selected={fields.disclosure === option}>
              {label}
            </option>
          ))}
        </select>
      </label>
      <button type="submit" class="primary">
        Compose
      </button>
    </form>
  );
}

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

/** Which skills, and how much of them. */
export function PromptForm({ fields, show }: { fields: PromptFields; show: (fields: PromptFields) => void }) {
  const text = (
    name: keyof PromptFields,
    label: string,
    hint = '',
    inputMode: 'text' | 'numeric' = 'text',
  ) => (
    <label>
      {label}
      <input
        {...{ name, inputMode, placeholder: hint }}
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
        const given = new FormData(event.currentTarget);
        show(
          Object.fromEntries(
            promptFieldNames.flatMap((name) => {
              const value = String(given.get(name)).trim();
              return value === '' ? [] : [[name, value]];
            }),
          ),
        );
      }}
    >
      {text('phase', 'Phase', 'implement')}
      {text('agent', 'Agent')}
      {text('tags', 'Tags', 'python, review')}
      {text('budgetTokens', 'Tokens for skills', '', 'numeric')}
      {text('promptTokens', 'Tokens for the prompt', '', 'numeric')}
      <label>
        Skills that are not active
        <select name="disclosure">
          {['metadata', 'index', 'bodies'].map((option) => (
            <option value={option} selected={fields.disclosure === option}>
              {option}
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

import type { Denial } from '@ambit/client';
import { outcomeFilters } from '@ambit/core/outcome';
import { outcomeText } from '../../part/outcome.tsx';
import { isNode, session } from '../../session/session.ts';

/** The filters of `GET /audit`. */
export const filterNames = [
  'skill',
  'actor',
  'outcome',
  'tier',
  'via',
  'denied',
  'since',
  'until',
  'text',
  'executionId',
  'parentId',
  'node',
] as const;
export type Filters = Readonly<Partial<Record<(typeof filterNames)[number], string>>>;

/** The type names a capability that is missing here. */
const capabilities: Record<Denial['capability'], true> = {
  'filesystem.read': true,
  'filesystem.write': true,
  network: true,
  env: true,
  secrets: true,
  exec: true,
  state: true,
  memory: true,
  host: true,
  run: true,
};

/** Every filter as a field. They are applied together. */
export function RunFilters({
  filters,
  known,
  show,
}: {
  filters: Filters;
  /** The suggestions of a field: values of the runs on the page. */
  known: Readonly<Partial<Record<'skill' | 'actor', readonly string[]>>>;
  show: (changed: Record<string, string | undefined>) => void;
}) {
  const text = (name: (typeof filterNames)[number], label: string, hint?: string) => (
    <label>
      {label}
      <input
        name={name}
        placeholder={hint ?? ''}
        list={`known-${name}`}
        defaultValue={filters[name] ?? ''}
        autocomplete="off"
      />
    </label>
  );
  const choice = (
    name: (typeof filterNames)[number],
    label: string,
    options: readonly string[],
    wordFor = (option: string) => option,
  ) => (
    <label>
      {label}
      <select name={name} defaultValue={filters[name] ?? ''}>
        <option value="">any</option>
        {options.map((option) => (
          <option value={option} selected={filters[name] === option}>
            {wordFor(option)}
          </option>
        ))}
      </select>
    </label>
  );
  return (
    <search>
      <form
        class="filters"
        aria-label="Filters"
        onSubmit={(event) => {
          event.preventDefault();
          const formData = new FormData(event.currentTarget);
          show(
            Object.fromEntries(
              filterNames.map((name) => [name, String(formData.get(name) ?? '').trim() || undefined]),
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
        {text('skill', 'Skill')}
        {text('actor', 'Key')}
        {choice('outcome', 'Outcome', outcomeFilters, (outcome) =>
          outcome === 'unsuccessful' ? 'any failure' : outcomeText(outcome),
        )}
        {(isNode(session.value) || filters.node !== undefined) && text('node', 'Node')}
        {text('text', 'Text in input or output')}
        {text('since', 'Since', '1h, 7d or a time')}
        <details
          open={['tier', 'via', 'denied', 'until', 'executionId', 'parentId'].some((name) => name in filters)}
        >
          <summary>More filters</summary>
          <div class="more">
            {text('until', 'Until', '30m or a time')}
            {choice('tier', 'Tier', ['local', 'verified', 'untrusted'])}
            {choice('via', 'Via', ['http', 'mcp', 'cli', 'library'])}
            {choice('denied', 'Refused capability', Object.keys(capabilities))}
            {text('executionId', 'Execution id')}
            {text('parentId', 'Chain or batch id')}
          </div>
        </details>
        <div class="buttons">
          <button type="submit" class="primary">
            Apply
          </button>
          <button
            type="button"
            onClick={() => show(Object.fromEntries(filterNames.map((name) => [name, undefined])))}
          >
            Clear
          </button>
        </div>
      </form>
    </search>
  );
}

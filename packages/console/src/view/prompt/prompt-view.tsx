import { useLocation } from 'preact-iso';
import { useLoaded } from '../../part/loaded.ts';
import { Page } from '../../part/page.tsx';
import { paths } from '../../paths.ts';
import { client } from '../../session/session.ts';
import { ComposedPrompt } from './composed-prompt.tsx';
import { type PromptFields, PromptForm, promptFieldNames } from './prompt-form.tsx';

/** Composes prompts and says why each part is in them. Two can be compared; the address has both. */
export function PromptView() {
  const { query, route } = useLocation();
  const configuration = useLoaded('phases', (signal) => client.configuration({ signal }));
  const namesOf = (section: string): string[] => [
    ...new Set(
      (configuration.value ?? []).flatMap(({ key }) =>
        key.startsWith(`${section}.`) ? (key.split('.')[1] ?? []) : [],
      ),
    ),
  ];
  const known = { phase: namesOf('phases'), agent: namesOf('agents') };
  const isComparing = query['b'] === '1';
  const fieldsOf = (side: string): PromptFields =>
    Object.fromEntries(
      promptFieldNames.flatMap((name) => (query[side + name] ? [[name, query[side + name]]] : [])),
    );
  const show = (side: string, fields: PromptFields): void => {
    const other = Object.entries(query).filter(([name]) => !name.startsWith(side) || name === 'b');
    const own = Object.entries(fields).map(([name, value]) => [side + name, value ?? '']);
    route(`${paths.prompt}?${new URLSearchParams([...other, ...own] as [string, string][])}`);
  };
  const sides = isComparing ? ['a.', 'b.'] : ['a.'];
  return (
    <Page
      title="Prompt"
      lead="What an agent would get for a phase: each part of the prompt, its size in tokens, and why it is included or left out."
    >
      <p>
        <a
          href={
            isComparing
              ? `${paths.prompt}?${new URLSearchParams(Object.entries(query).filter(([name]) => name.startsWith('a.')))}`
              : `${paths.prompt}?${new URLSearchParams([...Object.entries(query), ['b', '1']])}`
          }
        >
          {isComparing ? 'Show one prompt' : 'Compare with a second prompt'}
        </a>
      </p>
      <div class={isComparing ? 'side-by-side' : ''}>
        {sides.map((side, index) => (
          <section aria-label={isComparing ? `Prompt ${index + 1}` : 'Prompt'}>
            <PromptForm
              key={JSON.stringify(fieldsOf(side))}
              fields={fieldsOf(side)}
              known={known}
              show={(fields) => show(side, fields)}
            />
            <ComposedPrompt fields={fieldsOf(side)} />
          </section>
        ))}
      </div>
    </Page>
  );
}

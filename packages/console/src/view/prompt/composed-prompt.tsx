import type { PromptAnswer, PromptRequest } from '@ambit/client';
import { countText, plural } from '../../format/units.ts';
import { useLoaded } from '../../part/loaded.ts';
import { Empty, Shown } from '../../part/shown.tsx';
import { Table } from '../../part/table.tsx';
import { Block, Visible } from '../../part/visible.tsx';
import { paths, skillPath } from '../../paths.ts';
import { client } from '../../session/session.ts';
import type { PromptFields } from './prompt-form.tsx';

/** The end of the reason for a body that is not active. */
const listedOnly = 'is listed but not active';

/** A composed prompt as bars of tokens, with the reason for each part and for what was left out. */
export function ComposedPrompt({ fields }: { fields: PromptFields }) {
  const composed = useLoaded(JSON.stringify(fields), (signal) =>
    client.prompt({ ...requestOf(fields), explain: true }, { signal }),
  );
  return (
    <Shown loaded={composed}>
      {(answer) => (
        <>
          <p>
            <strong>{plural(answer.tokens, 'token')}</strong>, {plural(answer.skills.length, 'skill')}{' '}
            selected
          </p>
          {answer.warnings.map((warning) => (
            <p class="warning">
              <Visible text={warning} />
            </p>
          ))}
          <Parts answer={answer} />
          <LeftOut answer={answer} />
          <Tools tools={answer.tools} />
          <details>
            <summary>The prompt</summary>
            <Block text={answer.prompt} label="The prompt" />
          </details>
        </>
      )}
    </Shown>
  );
}

function requestOf({ tags, budgetTokens, promptTokens, disclosure, ...rest }: PromptFields): PromptRequest {
  return {
    ...rest,
    tags: tags?.split(/[\s,]+/),
    budgetTokens: budgetTokens === undefined ? undefined : Number(budgetTokens),
    promptTokens: promptTokens === undefined ? undefined : Number(promptTokens),
    disclosure: disclosure as PromptRequest['disclosure'],
  };
}

function Parts({ answer: { parts = [], skills } }: { answer: PromptAnswer }) {
  if (parts.length === 0) return <Empty>The prompt is empty: no skill was selected.</Empty>;
  const largest = Math.max(...parts.map(({ tokens }) => tokens), 1);
  return (
    <>
      <h2>Parts, in order</h2>
      <Table
        columns={[
          'Part',
          { heading: 'Tokens', is: 'number' },
          { heading: 'Size', is: 'track' },
          { heading: 'Why', is: 'text' },
        ]}
        rows={parts.map(({ origin, tokens, because, isCut, kind, order }) => ({
          key: order,
          cells: [
            <>
              {skills.some(({ id }) => id === origin) ? (
                <a href={skillPath(origin)}>
                  <Visible text={origin} />
                </a>
              ) : (
                <Visible text={origin} />
              )}{' '}
              <span class="quiet">{kind}</span>
            </>,
            countText(tokens),
            <svg viewBox="0 0 100 8" preserveAspectRatio="none" aria-hidden="true">
              <rect x="0" y="1" height="6" width={(tokens / largest) * 100} />
            </svg>,
            <>
              <Visible text={because} />
              {isCut && ' (cut)'}
            </>,
          ],
        }))}
      />
    </>
  );
}

function LeftOut({ answer: { leftOut = [] } }: { answer: PromptAnswer }) {
  const bodies = leftOut.filter(({ what, because }) => what === 'body' && because.endsWith(listedOnly));
  const others = leftOut.filter((each) => !bodies.includes(each));
  return (
    <>
      <h2>Left out</h2>
      {others.length > 0 && (
        <ul>
          {others.map(({ id, what, because }) => (
            <li>
              <a href={skillPath(id)}>
                <Visible text={id} />
              </a>
              {what === 'skill' ? ' ' : ` (${what}) `}
              <Visible text={because.startsWith(`${id} `) ? because.slice(id.length + 1) : because} />
            </li>
          ))}
        </ul>
      )}
      {bodies.length > 0 && (
        <p>
          Listed without their instructions, because they are not active:{' '}
          <Visible text={bodies.map(({ id }) => id).join(', ')} />
        </p>
      )}
      <p class="quiet">
        A skill that is neither in the prompt nor left out is <a href={`${paths.catalog}#broken`}>broken</a>{' '}
        or does not exist.
      </p>
    </>
  );
}

function allowedText(allowed: PromptAnswer['tools']['allowed']): string {
  return typeof allowed === 'string' ? 'every tool of the agent' : allowed.join(', ');
}

/** The tools of the agent, which the phase and the selected skills decide. */
function Tools({ tools: { allowed, withheld, beyondPhase, from } }: { tools: PromptAnswer['tools'] }) {
  if (from === 'no-phase' || from === 'unknown-phase') return null;
  return (
    <>
      <h2>Tools of the agent</h2>
      <ul>
        <li>allowed: {allowed.length === 0 ? 'none' : <Visible text={allowedText(allowed)} />}</li>
        {withheld.length > 0 && (
          <li>
            in the phase, but no selected skill asks for it: <Visible text={withheld.join(', ')} />
          </li>
        )}
        {beyondPhase.map(({ tool, skills }) => (
          <li>
            <Visible text={tool} /> is not in the phase; <Visible text={skills.join(', ')} />{' '}
            {skills.length === 1 ? 'asks' : 'ask'} for it
          </li>
        ))}
      </ul>
    </>
  );
}

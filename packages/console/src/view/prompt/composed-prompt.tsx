import type { PromptAnswer, PromptRequest } from '@ambit/client';
import { countText } from '../../format/units.ts';
import { useLoaded } from '../../part/loaded.ts';
import { Empty, Shown } from '../../part/shown.tsx';
import { Table } from '../../part/table.tsx';
import { Block, Visible } from '../../part/visible.tsx';
import { skillPath } from '../../paths.ts';
import { client } from '../../session/session.ts';
import type { PromptFields } from './prompt-form.tsx';

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
            <strong>{countText(answer.tokens)} tokens</strong>, {answer.skills.length} skills selected
          </p>
          {answer.warnings.map((warning) => (
            <p class="warning">
              <Visible text={warning} />
            </p>
          ))}
          <Parts answer={answer} />
          <LeftOut answer={answer} />
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
    ...(tags === undefined ? {} : { tags: tags.split(/[\s,]+/) }),
    ...(budgetTokens === undefined ? {} : { budgetTokens: Number(budgetTokens) }),
    ...(promptTokens === undefined ? {} : { promptTokens: Number(promptTokens) }),
    ...(disclosure === undefined ? {} : { disclosure: disclosure as 'metadata' | 'index' | 'bodies' }),
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
          { heading: 'Share', is: 'track' },
          { heading: 'Why', is: 'text' },
        ]}
        rows={parts.map(({ origin, tokens, because, isCut, kind, order }) => ({
          key: order,
          cells: [
            <>
              <Visible text={origin} /> <span class="quiet">{kind}</span>
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
      <h2>Selected skills</h2>
      <ul>
        {skills.map(({ id, because }) => (
          <li>
            <a href={skillPath(id)}>
              <Visible text={id} />
            </a>
            : <Visible text={because} />
          </li>
        ))}
      </ul>
    </>
  );
}

function LeftOut({ answer: { leftOut = [] } }: { answer: PromptAnswer }) {
  return (
    <>
      <h2>Left out</h2>
      {leftOut.length === 0 ? (
        <p>Nothing.</p>
      ) : (
        <ul>
          {leftOut.map(({ id, what, because }) => (
            <li>
              <Visible text={id} /> ({what}): <Visible text={because} />
            </li>
          ))}
        </ul>
      )}
    </>
  );
}

import type { ExecuteAnswer, SkillDetail } from '@ambit/client';
import { useState } from 'preact/hooks';
import { useLocation } from 'preact-iso';
import { useLoaded } from '../../part/loaded.ts';
import { OutcomeMark } from '../../part/outcome.tsx';
import { Failure } from '../../part/shown.tsx';
import { Block } from '../../part/visible.tsx';
import { runPath } from '../../paths.ts';
import { client, isUnlocked, session, unlock } from '../../session/session.ts';
import { StepUp } from '../../session/step-up.tsx';
import { fieldsOf, inputOf, SchemaFields } from './schema-fields.tsx';

/** A form from the skill's schema. With `?again=ID` it has the input of that run. */
export function TrySkill({ skill }: { skill: SkillDetail }) {
  const { again } = useLocation().query;
  const earlier = useLoaded(`again ${again}`, async (signal) =>
    again === undefined ? undefined : inputIn((await client.audit.record(again, { signal })).stored.input),
  );
  if (again !== undefined && earlier.value === undefined && earlier.error === undefined) return null;
  return <TryForm key={again} skill={skill} earlier={earlier.value} />;
}

function TryForm({ skill: { id, run }, earlier }: { skill: SkillDetail; earlier: unknown }) {
  const [answer, setAnswer] = useState<ExecuteAnswer>();
  const [error, setError] = useState<unknown>();
  const [waiting, setWaiting] = useState<() => Promise<void>>();
  if (run === null) return null;
  const fields = run.protocol === 'json' ? fieldsOf(run.input) : undefined;
  const call = async (form: HTMLFormElement): Promise<void> => {
    const given = new FormData(form);
    setAnswer(undefined);
    setError(undefined);
    setAnswer(
      run.protocol === 'json'
        ? await client.execute(id, inputOf(fields, given))
        : await client.execute(id, undefined, {
            args: String(given.get('args'))
              .split('\n')
              .filter((arg) => arg !== ''),
            stdin: String(given.get('stdin')),
          }),
    );
  };
  return (
    <section>
      <h2>Try it</h2>
      <p class="quiet">It runs with your rights in this console, in the sandbox, and is recorded.</p>
      <form
        onSubmit={(event) => {
          event.preventDefault();
          const form = event.currentTarget;
          const run = () => call(form).catch(setError);
          if (isUnlocked(session.value)) void run();
          else setWaiting(() => run);
        }}
      >
        {run.protocol === 'json' ? (
          <SchemaFields fields={fields} earlier={earlier} />
        ) : (
          <>
            <label>
              Arguments, one a line
              <textarea name="args" rows={3} />
            </label>
            <label>
              Standard input
              <textarea name="stdin" rows={3} />
            </label>
          </>
        )}
        <button type="submit" class="primary">
          Run
        </button>
      </form>
      {waiting !== undefined && (
        <StepUp
          title={`Run ${id}`}
          action="Run it"
          act={async (code) => {
            await unlock(code);
            void waiting();
          }}
          onClose={() => setWaiting(undefined)}
        />
      )}
      {error !== undefined && <Failure error={error} />}
      <div role="status">
        {answer !== undefined && (
          <>
            <p>
              <OutcomeMark outcome={answer.outcome.status} />,{' '}
              <a href={runPath(answer.executionId)}>show the run</a>
            </p>
            <Block text={JSON.stringify(answer.outcome, null, 2)} label="Outcome" />
          </>
        )}
      </div>
    </section>
  );
}

/** The stored text of a call is `{"input": …}`, if it is whole. */
function inputIn(stored: { text: string; isCut: boolean } | undefined): unknown {
  if (stored === undefined || stored.isCut) return undefined;
  return (JSON.parse(stored.text) as { input?: unknown }).input;
}

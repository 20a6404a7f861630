import type { ExecuteAnswer, SkillDetail } from '@ambit/client';
import { useState } from 'preact/hooks';
import { useLocation } from 'preact-iso';
import { visibleText } from '../../format/visible.ts';
import { useLoaded } from '../../part/loaded.ts';
import { OutcomeMark } from '../../part/outcome.tsx';
import { Failure } from '../../part/shown.tsx';
import { Block } from '../../part/visible.tsx';
import { runPath } from '../../paths.ts';
import { client, isUnlocked, session, unlock } from '../../session/session.ts';
import { StepUp } from '../../session/step-up.tsx';
import { UnlessReadOnly } from '../../session/unless-read-only.tsx';
import { fieldsOf, inputOf, SchemaFields } from './schema-fields.tsx';

/** A form from the skill's schema. With `?again=ID` it has the input of that run. */
export function TrySkill({ skill }: { skill: SkillDetail }) {
  const { again } = useLocation().query;
  const earlier = useLoaded(`again ${again}`, async (signal) =>
    again === undefined ? {} : earlierIn((await client.audit.record(again, { signal })).stored.input),
  );
  if (earlier.value === undefined && earlier.error === undefined) return null;
  return (
    <UnlessReadOnly title="Try it" cannot="run skills">
      <TryForm key={again} skill={skill} earlier={earlier.value ?? {}} />
    </UnlessReadOnly>
  );
}

function TryForm({ skill, earlier }: { skill: SkillDetail; earlier: Earlier }) {
  const { id } = skill;
  const scripts = scriptsOf(skill);
  const [script, setScript] = useState(earlier.script ?? scripts[0]?.name ?? '');
  const [answer, setAnswer] = useState<ExecuteAnswer>();
  const [error, setError] = useState<unknown>();
  const [waiting, setWaiting] = useState<() => Promise<void>>();
  const run = scripts.find(({ name }) => name === script)?.run ?? null;
  const isJson = run?.protocol === 'json';
  const fields = isJson ? fieldsOf(run.input) : undefined;
  const call = async (form: HTMLFormElement): Promise<void> => {
    const given = new FormData(form);
    const chosen = script === '' ? {} : { script };
    setAnswer(undefined);
    setError(undefined);
    setAnswer(
      isJson
        ? await client.execute(id, inputOf(fields, given), chosen)
        : await client.execute(id, undefined, {
            ...chosen,
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
      <p class="quiet">
        The skill runs in the sandbox with the capabilities that you granted to it. The run is recorded.
      </p>
      <form
        onSubmit={(event) => {
          event.preventDefault();
          const form = event.currentTarget;
          const run = () => call(form).catch(setError);
          if (isUnlocked(session.value)) void run();
          else setWaiting(() => run);
        }}
      >
        {scripts.length > 1 && (
          <label>
            Script
            <select value={script} onChange={(event) => setScript(event.currentTarget.value)}>
              {scripts.map(({ name }) => (
                <option value={name}>{name === '' ? 'default' : visibleText(name)}</option>
              ))}
            </select>
          </label>
        )}
        {isJson ? (
          <SchemaFields fields={fields} earlier={earlier.input} />
        ) : (
          <>
            <label>
              Arguments, one per line
              <textarea name="args" rows={3} defaultValue={earlier.args?.join('\n') ?? ''} />
            </label>
            <label>
              Standard input
              <textarea name="stdin" rows={3} defaultValue={earlier.stdin ?? ''} />
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

/** What a call can name as its script: `''` is the skill's default. A program without an entry takes arguments. */
function scriptsOf({
  tier,
  run,
  entries,
  scripts,
}: SkillDetail): { name: string; run: SkillDetail['run'] }[] {
  return [
    ...(run === null ? [] : [{ name: '', run }]),
    ...entries.map(({ name, run: own }) => ({ name, run: own })),
    ...scripts
      .filter(({ runtime }) => tier !== 'untrusted' || runtime === 'wasm')
      .map(({ path }) => ({ name: path, run: null })),
  ];
}

interface Earlier {
  input?: unknown;
  args?: readonly string[];
  stdin?: string;
  script?: string;
}

/** What the stored text of a call has, if it is whole. Of bytes on stdin it has only the digest. */
function earlierIn(stored: { text: string; isCut: boolean } | undefined): Earlier {
  if (stored === undefined || stored.isCut) return {};
  const { stdin, ...earlier } = JSON.parse(stored.text) as Earlier;
  return typeof stdin === 'string' ? { ...earlier, stdin } : earlier;
}

import type { ExecuteAnswer, ExecuteOptions, SkillDetail } from '@ambit/client';
import { useState } from 'preact/hooks';
import { useLocation } from 'preact-iso';
import { visibleText } from '../../format/visible.ts';
import { outcomeWhy } from '../../part/ended.ts';
import { useLoaded } from '../../part/loaded.ts';
import { OutcomeMark } from '../../part/outcome.tsx';
import { Visible } from '../../part/visible.tsx';
import { runPath } from '../../paths.ts';
import { Advice } from '../../result/advice.tsx';
import { Result } from '../../result/result.tsx';
import { base64Of } from '../../session/base64-of.ts';
import { client } from '../../session/session.ts';
import { useTask } from '../../session/task.tsx';
import { UnlessReadOnly } from '../../session/unless-read-only.tsx';
import { FileFields, filesIn, LimitFields, limitsIn, preparedWorkspace } from './call-fields.tsx';
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

function TryForm({ skill, earlier }: { skill: SkillDetail; earlier: EarlierInput }) {
  const { id } = skill;
  const choices = choicesOf(skill);
  // A script that is in no list was named by a command.
  const known = choices.findIndex(({ script: name }) => name === (earlier.script ?? choices[0]?.script));
  const [chosen, setChosen] = useState(known === -1 ? choices.indexOf(aCommand) : known);
  const [executionId, setExecutionId] = useState<string>();
  const [answer, setAnswer] = useState<ExecuteAnswer>();
  const workspaces = useLoaded('workspaces', (signal) => client.workspaces.list({ signal }));
  const { start, fail, isBusy, shown } = useTask();
  const { script, run } = choices[chosen] ?? aCommand;
  const isJson = run?.protocol === 'json';
  const fields = isJson ? fieldsOf(run.input) : undefined;
  const hasWorkspace = run === null || run.capabilities.filesystem.write.includes('workspace');
  const submit = (given: FormData): void => {
    const files = filesIn(given);
    const named: ExecuteOptions = {
      limits: limitsIn(given),
      command: script === undefined ? String(given.get('command')) : undefined,
      script: script === '' ? undefined : script,
      args: isJson || script === undefined ? undefined : linesOf(given.get('args')),
      fileContents: true,
    };
    const input = isJson ? inputOf(fields, given) : undefined;
    start({
      what: 'Starting',
      asks: { title: `Run ${id}`, action: 'Run it' },
      async act(signal, say) {
        setAnswer(undefined);
        setExecutionId(undefined);
        const stdin = isJson ? {} : await stdinIn(given);
        const label = `files for ${id}`.slice(0, 200);
        const workspace = await preparedWorkspace(files, { label, say, signal });
        // Independent of this view, which only waits.
        const begun = await client.start(id, input, { ...named, ...stdin, workspace, signal });
        setExecutionId(begun.executionId);
        say('Running');
        setAnswer((begun.answer ?? (await client.wait(begun.executionId, { signal }))) as ExecuteAnswer);
        workspaces.reload();
      },
    });
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
          try {
            submit(new FormData(event.currentTarget));
          } catch (error) {
            // A field has text that is not JSON.
            fail(error);
          }
        }}
      >
        <label>
          What to run
          <select value={chosen} onChange={(event) => setChosen(Number(event.currentTarget.value))}>
            {choices.map(({ script: name }, index) => (
              <option value={index}>
                {name === undefined ? 'a command, for any program of it' : visibleText(name) || 'its default'}
              </option>
            ))}
          </select>
        </label>
        {script === undefined && (
          <label>
            Command: a program file of the skill and its arguments, split as a shell does; no shell runs
            <input
              name="command"
              required
              autocomplete="off"
              placeholder="python3 scripts/x.py --all"
              defaultValue={known === -1 ? commandOf(earlier) : ''}
            />
          </label>
        )}
        {isJson ? (
          <SchemaFields fields={fields} earlier={earlier.input} />
        ) : (
          <TextFields script={script} earlier={earlier} />
        )}
        {hasWorkspace && <FileFields workspaces={workspaces.value ?? []} />}
        <LimitFields limits={run?.callLimits ?? skill.scriptLimits} />
        <button type="submit" class="primary" disabled={isBusy}>
          Run
        </button>
      </form>
      {shown}
      {executionId !== undefined && <Started skill={id} executionId={executionId} answer={answer} />}
    </section>
  );
}

/** The fields of a run that takes no JSON. */
function TextFields({ script, earlier }: { script: string | undefined; earlier: EarlierInput }) {
  return (
    <>
      {script !== undefined && (
        <label>
          Arguments, one per line
          <textarea name="args" rows={3} defaultValue={earlier.args?.join('\n') ?? ''} />
        </label>
      )}
      <label>
        Standard input
        <textarea name="stdin" rows={3} defaultValue={earlier.stdin ?? ''} />
      </label>
      <label>
        Standard input from a file, in place of the text
        <input name="stdinFile" type="file" />
      </label>
    </>
  );
}

interface StartedRun {
  skill: string;
  executionId: string;
  /** Absent: it has not ended. */
  answer: ExecuteAnswer | undefined;
}

function Started({ skill, executionId, answer }: StartedRun) {
  return (
    <>
      <p>
        {answer !== undefined && <Ended answer={answer} />}
        <a href={runPath(executionId)}>show the run</a>
      </p>
      {answer !== undefined && (
        <section aria-label="Result">
          <Advice skill={skill} {...answer} />
          <Result answer={answer} />
        </section>
      )}
    </>
  );
}

function Ended({ answer: { outcome } }: { answer: ExecuteAnswer }) {
  const why = outcomeWhy(outcome);
  return (
    <span role="status">
      <OutcomeMark outcome={outcome.status} />
      {why !== '' && (
        <>
          {': '}
          <Visible text={why} />
        </>
      )}
      {', '}
    </span>
  );
}

/** The target of a call: a script by its name, where `''` is the skill's default; `undefined`: a command names it. */
interface Choice {
  script: string | undefined;
  /** Its run in the sidecar. Absent: it takes arguments, and has a workspace. */
  run: SkillDetail['run'];
}

const aCommand: Choice = { script: undefined, run: null };

function choicesOf({ tier, run, entries, scripts }: SkillDetail): Choice[] {
  return [
    ...(run === null ? [] : [{ script: '', run }]),
    ...entries.map(({ name, run: own }) => ({ script: name, run: own })),
    ...scripts
      .filter(({ runtime }) => tier !== 'untrusted' || runtime === 'wasm')
      .map(({ path }) => ({ script: path, run: null })),
    aCommand,
  ];
}

function linesOf(text: FormDataEntryValue | null): string[] {
  return String(text)
    .split('\n')
    .filter((line) => line !== '');
}

/** The bytes of a file, or else the text. */
async function stdinIn(given: FormData): Promise<Pick<ExecuteOptions, 'stdin' | 'stdinBase64'>> {
  const file = given.get('stdinFile');
  if (file instanceof File && file.name !== '') return { stdinBase64: await base64Of(file) };
  return { stdin: String(given.get('stdin')) };
}

interface EarlierInput {
  input?: unknown;
  args?: readonly string[];
  stdin?: string;
  script?: string;
}

/** A call of a script as a command, with words that a shell would change in quotation marks. */
function commandOf({ script = '', args = [] }: EarlierInput): string {
  const words = script.startsWith('-m ') ? ['python3', '-m', script.slice(3)] : [script];
  return [...words, ...args]
    .map((word) => (/^[\w./:=@%+,-]+$/.test(word) ? word : `'${word.replaceAll("'", `'\\''`)}'`))
    .join(' ');
}

/** Returns the input in the stored text of a call, if it is whole. It has only the digest of bytes on stdin. */
function earlierIn(stored: { text: string; isCut: boolean } | undefined): EarlierInput {
  if (stored === undefined || stored.isCut) return {};
  const { stdin, ...earlier } = JSON.parse(stored.text) as EarlierInput;
  return typeof stdin === 'string' ? { ...earlier, stdin } : earlier;
}

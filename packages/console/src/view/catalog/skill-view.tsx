import type { SkillDetail } from '@ambit/client';
import { useRoute } from 'preact-iso';
import { hiddenText } from '../../format/hidden-text.ts';
import { Copy } from '../../part/copy.tsx';
import { Declares } from '../../part/declares.tsx';
import { LimitTable } from '../../part/limit-table.tsx';
import { useLoaded } from '../../part/loaded.ts';
import { Page } from '../../part/page.tsx';
import { Shown } from '../../part/shown.tsx';
import { Block, Visible } from '../../part/visible.tsx';
import { paths, reviewPath, runsPath } from '../../paths.ts';
import { client } from '../../session/session.ts';
import { FileList } from './file-list.tsx';
import { requestText, risksOf } from './risks.ts';
import { TrySkill } from './try-skill.tsx';

/** One skill: what it asks for in words, its files as text, and a form to try it. */
export function SkillView() {
  const id = useRoute().params['id'] ?? '';
  const skill = useLoaded(`skill ${id}`, (signal) => client.skill(id, { signal }));
  return (
    <Page title={id}>
      <p>
        <a href={paths.catalog}>Catalog</a> · <a href={runsPath({ skill: id })}>Its runs</a> ·{' '}
        <a href={`${paths.settings}?skill=${encodeURIComponent(id)}`}>Check what it may do</a>
      </p>
      <Shown loaded={skill}>
        {(value) => (
          <>
            <About skill={value} />
            {value.executable && <Requested skill={value} />}
            {value.executable && <Limits skill={value} />}
            <Declared key={value.digest} skill={value} />
            {(value.executable || hasPrograms(value)) && <TrySkill skill={value} />}
            <Instructions id={id} />
            <section>
              <h2>Files</h2>
              <FileList {...value} />
            </section>
          </>
        )}
      </Shown>
    </Page>
  );
}

/** Whether a command may name one of its files, although lists leave all of them out: tests, templates and the like. */
function hasPrograms({ files }: SkillDetail): boolean {
  return files.some(({ path }) => /\.(?:py|sh|bash|[cm]?[jt]s|pl|rb)$/.test(path));
}

function About({ skill }: { skill: SkillDetail }) {
  const { description, version, tier, digest, license, compatibility, warnings, hiddenFrom } = skill;
  return (
    <section>
      <blockquote>
        <p class="quiet">Its author writes:</p>
        <Visible text={description} />
      </blockquote>
      <dl class="summary">
        <dt>Tier</dt>
        <dd>
          {tier}, {howItRuns(skill)}
        </dd>
        {hiddenFrom !== undefined && (
          <>
            <dt>Visibility</dt>
            <dd>{hiddenText(hiddenFrom)}</dd>
          </>
        )}
        <dt>Version</dt>
        <dd>
          {version === null ? 'none' : <Visible text={version} />}, <code>{digest}</code>
        </dd>
        <dt>License</dt>
        <dd>{license === null ? 'not stated' : <Visible text={license} />}</dd>
        {compatibility !== null && (
          <>
            <dt>Compatibility</dt>
            <dd>
              <Visible text={compatibility} />
            </dd>
          </>
        )}
      </dl>
      {warnings.map((warning) => (
        <p class="warning">
          <Visible text={warning} />
        </p>
      ))}
    </section>
  );
}

function howItRuns({ executable, tier, run, entries, scripts }: SkillDetail): string {
  if (!executable) return 'instructions only';
  if (run?.runtime === 'wasm') return 'runs as WebAssembly';
  if (tier !== 'untrusted') return 'runs as a program';
  const inWasm = [...entries.map((entry) => entry.run), ...scripts].some(({ runtime }) => runtime === 'wasm');
  return inWasm ? 'runs in WebAssembly only, until you trust it' : 'does not run until you trust it';
}

function Requested({ skill: { tier, run, entries, scripts, requests } }: { skill: SkillDetail }) {
  const runs = [...(run === null ? [] : [run]), ...entries.map((entry) => entry.run)];
  const risks = [...new Set(runs.flatMap(({ capabilities }) => risksOf(capabilities)))];
  return (
    <section>
      <h2>Requested capabilities</h2>
      {risks.length === 0 ? (
        <p>
          {runs.length === 0
            ? tier === 'untrusted' && scripts.some(({ runtime }) => runtime === 'wasm')
              ? 'None until you trust it: its Python runs in WebAssembly, with a workspace.'
              : 'Its scripts run with their interpreter and a workspace.'
            : 'None: it only computes.'}
        </p>
      ) : (
        <ul>
          {risks.map((risk) => (
            <li>
              <Visible text={risk} />
            </li>
          ))}
        </ul>
      )}
      {requests.length > 0 && (
        <details>
          <summary>Full list</summary>
          <ul>
            {requests.map((request) => (
              <li>
                <Visible text={requestText(request)} />
              </li>
            ))}
          </ul>
        </details>
      )}
    </section>
  );
}

/** The limits of its calls, by default and at most. */
function Limits({ skill: { run, entries, scripts, scriptLimits } }: { skill: SkillDetail }) {
  const rows = [
    ...(run === null ? [] : [{ name: 'its default', limits: run.callLimits }]),
    ...entries.map(({ name, run: own }) => ({ name, limits: own.callLimits })),
    ...(scripts.length === 0 ? [] : [{ name: 'its scripts', limits: scriptLimits }]),
  ];
  return (
    <section>
      <h2>Limits of its calls</h2>
      <LimitTable rows={rows} />
    </section>
  );
}

/** The needs that the installed version declares for other tools. Other skills are read by a command. */
function Declared({ skill: { id, digest } }: { skill: SkillDetail }) {
  const review = useLoaded(`declared ${digest}`, async (signal) => {
    const installed = await client.installs.list({ signal });
    return installed.some((each) => each.id === id) ? client.installs.review(id, { signal }) : null;
  });
  return (
    <section>
      <h2>Review</h2>
      <Shown loaded={review}>
        {(value) =>
          value === null ? (
            <p>
              To see what is suspicious in it, and what it declares for other tools, run:{' '}
              <Copy text={`ambit skills review ${id}`} label="the command that reviews it" />
            </p>
          ) : (
            <>
              <p>
                It is installed: <a href={reviewPath(id)}>read its review</a>
                {value.digest !== digest && ', which is of a later version'}.
              </p>
              {value.digest === digest && <Declares review={value} />}
            </>
          )
        }
      </Shown>
    </section>
  );
}

function Instructions({ id }: { id: string }) {
  const body = useLoaded(`body ${id}`, (signal) => client.body(id, { signal }));
  return (
    <section>
      <h2>Instructions</h2>
      <Shown loaded={body}>
        {(text) => (text === '' ? <p>None.</p> : <Block text={text} label="Instructions" />)}
      </Shown>
    </section>
  );
}

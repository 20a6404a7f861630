import { useLocation } from 'preact-iso';
import { Copy } from '../../part/copy.tsx';
import { useLoaded } from '../../part/loaded.ts';
import { Mark } from '../../part/outcome.tsx';
import { Shown } from '../../part/shown.tsx';
import { Visible } from '../../part/visible.tsx';
import { paths } from '../../paths.ts';
import { request } from '../../session/request.ts';

interface PolicyAnswer {
  allowed: boolean;
  rule: string | null;
  because: string;
  remedy: string | null;
}

const kinds = [
  ['network', 'reach the host', 'api.example.com:443'],
  ['filesystem.read', 'read the path', '/srv/repos'],
  ['filesystem.write', 'write the path', '/srv/out'],
  ['exec', 'run the program', 'git'],
  ['env', 'read the variable', 'LANG'],
  ['secrets', 'use the secret', 'GITHUB_TOKEN'],
] as const;

/** "May skill S reach host H for key K?", answered by the rule that decides. */
export function WhatIf() {
  const { query, route } = useLocation();
  const { skill = '', kind = 'network', item = '', key = '' } = query;
  const isAsked = skill !== '' && item !== '';
  const answer = useLoaded(JSON.stringify([skill, kind, item, key]), async (signal) =>
    isAsked
      ? request<PolicyAnswer>('POST', '/policy/decide', {
          ...{ signal, body: { skill, capability: { kind, item }, ...(key === '' ? {} : { key }) } },
        })
      : undefined,
  );
  return (
    <section>
      <h2>What if?</h2>
      <form
        class="filters"
        onSubmit={(event) => {
          event.preventDefault();
          const asked = [...new FormData(event.currentTarget)].filter(([, value]) => value !== '');
          route(`${paths.settings}?${new URLSearchParams(asked as [string, string][])}`);
        }}
      >
        <label>
          May the skill
          <input name="skill" required defaultValue={skill} autocomplete="off" />
        </label>
        <label>
          do this
          <select name="kind">
            {kinds.map(([value, text]) => (
              <option value={value} selected={value === kind}>
                {text}
              </option>
            ))}
          </select>
        </label>
        <label>
          with this
          <input
            name="item"
            required
            defaultValue={item}
            placeholder={kinds.find(([value]) => value === kind)?.[2] ?? ''}
            autocomplete="off"
          />
        </label>
        <label>
          for the key (empty: any)
          <input name="key" defaultValue={key} autocomplete="off" />
        </label>
        <button type="submit" class="primary">
          Ask
        </button>
      </form>
      {isAsked && (
        <Shown loaded={answer}>
          {(decided) =>
            decided === undefined ? null : (
              <div role="status">
                <p>
                  <Mark
                    tone={decided.allowed ? 'good' : 'refused'}
                    word={decided.allowed ? 'allowed' : 'refused'}
                  />
                  : <Visible text={decided.because} />
                </p>
                {decided.rule !== null && (
                  <p>
                    The rule that decides: <code>{<Visible text={decided.rule} />}</code>
                  </p>
                )}
                {decided.remedy !== null && (
                  <p>
                    To allow it: <Copy text={decided.remedy} label="the line that allows it" />
                  </p>
                )}
              </div>
            )
          }
        </Shown>
      )}
    </section>
  );
}
